import type { LaterKitTexts, LaterTexts } from "../texts.ts";

/** Texts of shared components. */
export const kit: LaterKitTexts = {
  restrictions: {
    new_chats:
      "El mensajero no permite ahora que esta cuenta escriba a personas nuevas. Los chats que ya existen siguen como siempre.",
    replies: "El mensajero no permite ahora que esta cuenta responda a los clientes.",
    unanswered:
      "El mensajero no acepta más mensajes a personas que no responden. Cuando escriban, se podrá seguir.",
    spam: "El mensajero retiene ahora los mensajes de esta cuenta, porque sospecha que son spam.",
    volume: "La cuenta ha llegado al límite de mensajes o de chats nuevos del mensajero.",
    quality:
      "Muchas personas han bloqueado o denunciado esta cuenta. Si continúa, el mensajero puede limitarla: escriba menos, y solo a quienes lo esperan.",
    block_announced: "El mensajero ha anunciado que bloqueará esta cuenta.",
    until: (time) => `Termina el ${time}.`,
    unknown: "El mensajero no dice cuándo termina.",
  },
};

export const es: LaterTexts = {
  passkey: {
    title: "Confirmar con la llave de acceso",
    hint: "WhatsApp pide la llave de acceso de esta cuenta: la huella, la cara o el PIN que está guardado en el teléfono o en el navegador. Si está en el teléfono, el navegador muestra un código para escanearlo con él. Use un ordenador con Bluetooth, o pase este paso a quien tenga uno.",
    usePasskey: "Usar la llave de acceso",
    usePasskeyHint: "Se abre un momento el sitio de WhatsApp. Confirme allí; después vuelve aquí solo.",
    byHand: "Sin la extensión",
    cancelled:
      "No se usó la llave de acceso: se canceló, o aquí no hay ninguna de esta cuenta. Inténtelo de nuevo.",
    extensionFailed: "La extensión del navegador no pudo hacerlo. Inténtelo de nuevo o siga sin ella.",
    timeLeft: (time) => `Quedan ${time}.`,
    easyLeft: (time) => `Durante ${time} no hará falta comparar códigos después.`,
    compareLater: "Después comparará un código con el del teléfono.",
    copyStep:
      "Los navegadores solo lo permiten en el sitio de WhatsApp. Copie el texto con el botón de abajo.",
    openStep:
      "Abra el sitio de WhatsApp y, en él, la consola del navegador: F12 y luego «Consola»; en un Mac, Opción-Comando-J.",
    pasteStep:
      "Pegue el texto, pulse Intro y confirme con la llave de acceso. Si el navegador no deja pegar, escriba antes lo que pide, por ejemplo «allow pasting».",
    answerStep: "Copie la respuesta que aparece y péguela aquí.",
    share: "Continuar en otro dispositivo",
    safe: "Pegue el texto solo en el sitio de WhatsApp, y la respuesta solo aquí: quien tenga la respuesta puede vincular un dispositivo a esta cuenta.",
    copy: "Copiar el texto",
    open: "Abrir el sitio de WhatsApp",
    answer: "Respuesta",
    answerHint: "Todo el texto que empieza por {",
    unreadable: "Esta no es la respuesta completa. Cópiela entera, desde { hasta la última }.",
    waiting: "Aceptado. WhatsApp lo está comprobando…",
    waitingHint: "Mantenga el teléfono encendido y con conexión.",
    compareTitle: "Comparar los códigos",
    compareHint: "El teléfono muestra un código. ¿Es este?",
    same: "Los códigos son iguales",
    differ: "Los códigos son distintos",
    differHint:
      "Si son distintos, no confirme tampoco en el teléfono: puede que otra persona esté vinculando un dispositivo.",
    startOver: "Empezar de nuevo con otro código",
    press: "Copie esto y péguelo en la página de la que viene:",
    elsewhere: "Este no es el sitio de WhatsApp. Ábralo y pegue el texto allí.",
    unused:
      "No se usó la llave de acceso: se canceló, o aquí no hay ninguna de esta cuenta. Pegue el texto otra vez para reintentar.",
    tooOld: "Este navegador es demasiado antiguo. Use una versión actual de Chrome, Edge, Firefox o Safari.",
    malformed: "Esto no es la respuesta de una llave de acceso. Cópiela entera.",
    other_request: "Esta respuesta es de una petición anterior. Copie el texto otra vez y repita los pasos.",
    wrong_site: "El texto se ejecutó en otro sitio. Abra el sitio de WhatsApp y repita los pasos allí.",
    not_verified: "La llave de acceso se usó sin huella, cara ni PIN. Repita los pasos.",
    unknown_passkey: "Esta llave de acceso es de otra cuenta de WhatsApp.",
    refused: "WhatsApp rechazó la llave de acceso. Escanee el código nuevo e inténtelo otra vez.",
    expired: "Se acabó el tiempo para la llave de acceso. Escanee el código nuevo e inténtelo otra vez.",
    silent: "El teléfono no respondió. Abra WhatsApp en él, escanee el código nuevo e inténtelo otra vez.",
    interrupted: "Se interrumpió la conexión. Escanee el código nuevo e inténtelo otra vez.",
  },
  next: {
    title: "Qué viene ahora",
    write: "Escriba un mensaje de prueba a esta cuenta, desde otro teléfono.",
    appears: "Aparece en su CRM en unos segundos, y se indica aquí.",
    received: (time) => `Llegó un mensaje a las ${time}. La recepción funciona.`,
    reply: "Responda desde allí: la respuesta llega a ese teléfono.",
    answered: (time) => `Se envió una respuesta a las ${time}. El envío funciona.`,
    open: "Abrir el chat al que escribir",
    name: "Nombre de este canal",
    nameHint: "Lo ven sus empleados, por ejemplo «Tienda de Sevilla».",
    save: "Guardar",
    saved: "Nombre guardado",
  },
  earlier: {
    label: "Cargar mensajes anteriores",
    none: "No",
    all: "Todos",
  },
};
