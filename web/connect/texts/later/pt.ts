import type { LaterKitTexts, LaterTexts } from "../texts.ts";

/** Texts of shared components. */
export const kit: LaterKitTexts = {
  restrictions: {
    new_chats:
      "No momento, o mensageiro não deixa esta conta escrever para pessoas novas. As conversas que já existem continuam como sempre.",
    replies: "No momento, o mensageiro não deixa esta conta responder aos clientes.",
    unanswered:
      "O mensageiro não aceita mais mensagens para pessoas que não respondem. Quando elas escreverem, será possível continuar.",
    spam: "No momento, o mensageiro retém as mensagens desta conta, porque suspeita de spam.",
    volume: "A conta chegou ao limite de mensagens ou de conversas novas do mensageiro.",
    quality:
      "Muitas pessoas bloquearam ou denunciaram esta conta. Se continuar, o mensageiro pode restringi-la: escreva menos, e só para quem espera.",
    block_announced: "O mensageiro anunciou que vai bloquear esta conta.",
    until: (time) => `Termina em ${time}.`,
    unknown: "O mensageiro não diz quando isso termina.",
  },
};

export const pt: LaterTexts = {
  passkey: {
    title: "Confirmar com a chave de acesso",
    hint: "O WhatsApp pede a chave de acesso desta conta: a digital, o rosto ou o PIN que está guardado no telefone ou no navegador. Se estiver no telefone, o navegador mostra um código para o telefone escanear. Use um computador com Bluetooth, ou passe este passo a quem tenha um.",
    usePasskey: "Usar a chave de acesso",
    usePasskeyHint: "O site do WhatsApp abre por um momento. Confirme lá; depois você volta sozinho.",
    byHand: "Sem a extensão",
    cancelled:
      "A chave de acesso não foi usada: foi cancelado, ou aqui não há nenhuma desta conta. Tente de novo.",
    extensionFailed: "A extensão do navegador não conseguiu. Tente de novo ou continue sem ela.",
    timeLeft: (time) => `Restam ${time}.`,
    easyLeft: (time) => `Por ${time}, não será preciso comparar códigos depois.`,
    compareLater: "Depois você compara um código com o do telefone.",
    copyStep: "Os navegadores só permitem isto no site do WhatsApp. Copie o texto com o botão abaixo.",
    openStep:
      "Abra o site do WhatsApp e, nele, o console do navegador: F12 e depois “Console”; no Mac, Option-Command-J.",
    pasteStep:
      "Cole o texto, pressione Enter e confirme com a chave de acesso. Se o navegador não deixar colar, digite antes o que ele pede, como “allow pasting”.",
    answerStep: "Copie a resposta que aparece e cole aqui.",
    share: "Continuar em outro aparelho",
    safe: "Cole o texto só no site do WhatsApp, e a resposta só aqui: quem tem a resposta pode conectar um aparelho a esta conta.",
    copy: "Copiar o texto",
    open: "Abrir o site do WhatsApp",
    answer: "Resposta",
    answerHint: "O texto inteiro que começa com {",
    unreadable: "Esta não é a resposta completa. Copie tudo, de { até a última }.",
    waiting: "Aceito. O WhatsApp está verificando…",
    waitingHint: "Deixe o telefone ligado e com internet.",
    compareTitle: "Comparar os códigos",
    compareHint: "O telefone mostra um código. É este?",
    same: "Os códigos são iguais",
    differ: "Os códigos são diferentes",
    differHint:
      "Se forem diferentes, também não confirme no telefone: outra pessoa pode estar conectando um aparelho.",
    startOver: "Começar de novo com outro código",
    press: "Copie isto e cole na página de onde você veio:",
    elsewhere: "Este não é o site do WhatsApp. Abra o site do WhatsApp e cole o texto lá.",
    unused:
      "A chave de acesso não foi usada: foi cancelado, ou aqui não há nenhuma desta conta. Cole o texto outra vez para tentar de novo.",
    tooOld: "Este navegador é antigo demais. Use uma versão atual do Chrome, Edge, Firefox ou Safari.",
    malformed: "Isto não é a resposta de uma chave de acesso. Copie tudo.",
    other_request: "Esta resposta é de um pedido anterior. Copie o texto outra vez e repita os passos.",
    wrong_site: "O texto foi executado em outro site. Abra o site do WhatsApp e repita os passos lá.",
    not_verified: "A chave de acesso foi usada sem digital, rosto ou PIN. Repita os passos.",
    unknown_passkey: "Esta chave de acesso é de outra conta do WhatsApp.",
    refused: "O WhatsApp recusou a chave de acesso. Escaneie o código novo e tente outra vez.",
    expired: "O tempo para a chave de acesso acabou. Escaneie o código novo e tente outra vez.",
    silent: "O telefone não respondeu. Abra o WhatsApp nele, escaneie o código novo e tente outra vez.",
    interrupted: "A conexão foi interrompida. Escaneie o código novo e tente outra vez.",
  },
  next: {
    title: "O que vem agora",
    write: "Escreva uma mensagem de teste para esta conta, de outro telefone.",
    appears: "Ela aparece no seu CRM em segundos, e é indicada aqui.",
    received: (time) => `Chegou uma mensagem às ${time}. O recebimento funciona.`,
    reply: "Responda de lá: a resposta chega àquele telefone.",
    answered: (time) => `Uma resposta foi enviada às ${time}. O envio funciona.`,
    open: "Abrir a conversa para onde escrever",
    name: "Nome deste canal",
    nameHint: "Seus funcionários veem este nome, por exemplo “Loja de Campinas”.",
    save: "Salvar",
    saved: "Nome salvo",
  },
  earlier: {
    label: "Carregar mensagens anteriores",
    none: "Não",
    all: "Todas",
  },
};
