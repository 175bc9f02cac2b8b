// Written by tools/emoji.ts; changes are lost.

export const words = `rosto risonho|engraçado|feliz|lol|rindo|risada|sorridente
rosto risonho com olhos bem abertos|boca|feliz|olhos arregalados|risada|rosto sorrindo com boca aberta|sorridente|sorrindo|sorriso
rosto risonho com olhos sorridentes|aberta|boca|engraçado|feliz|haha|lol|risada|sorriso
rosto contente com olhos sorridentes|feliz|olhos sorrindo|rindo|rosto rindo com olhos sorridentes|sorrindo|sorriso|sorriso aberto
rosto risonho com olhos semicerrados|gargalhada|gargalhando|hahaha|kkk|olhos fechados|rir|sorriso com olhos fechados|sorriso estilo xd
rosto risonho com gota de suor|estressada|estressado|nervoso|rindo|sorriso com suor frio|sorriso mas com suor frio|suando frio|suor frio
rolando no chão de rir|choro|engraçada|feliz|gargalhada|haha|kkk|lágrimas|rindo|risada
rosto chorando de rir|alegria|engraçada|engraçado|gargalhada|hahaha|kkk|lágrimas|lágrimas de alegria|rosto com lágrimas de alegria
rosto levemente sorridente|feliz|rosto sorrindo|sorriso|sorriso leve
rosto de cabeça para baixo|rosto invertido
rosto derretendo|calor|derreter|desaparecer|dissolver|envergonhada|haha|quente|sarcasmo|sarcástica|vergonha
rosto com olho piscando|flerte|piscada|rosto piscando
rosto sorridente com olhos sorridentes|alegre|encabulada|envergonhada|feliz|fofo|ruborizar|satisfeita|sim|sorriso|vergonha
rosto sorridente com auréola|anjinho|anjo|inocente|sorriso|sorriso com auréola
rosto sorridente com 3 corações|amando|amei|amo|apaixonada|coração|crush|paixão|romance|te amo
rosto sorridente com olhos de coração|amor|apaixonado|olhar apaixonado|paixão|romance
rosto com olhar maravilhado|estrela|gargalhando|olhos|super animada|super animado|super feliz|superanimada|superanimado|superfeliz
rosto mandando um beijo|flerte|jogando beijos|mandando beijo|rosto jogando beijos
rosto beijando|beijo|rosto com beijo
rosto sorridente|corada|corado|relaxado|rosto sorrindo|rosto sorrindo não preenchido|sorriso
rosto beijando com olhos fechados|beijando com os olhos fechados|beijinho|mandando beijo
rosto beijando com olhos sorridentes|beijar e sorrir|beijinho|beijos|flerte|mandando beijo|olhos sorrindo|rosto beijando com um sorriso|sorriso
rosto sorridente com lágrima|aliviada|chorar|contente|emocionado|felicidade|feliz|grata|gratidão|orgulhosa|rir|sorrir
rosto saboreando comida|apetitoso|comida gostosa|delicioso|gostoso|nham|rosto com sorriso|saboroso|sorriso
rosto mostrando a língua|língua para fora|rosto com língua para fora
rosto piscando e com língua para fora|brincadeira|língua para fora com piscadela|piscadela|piscando e mostrando a língua|provocação
rosto bizarro|cara de maluco|doida|doido|excêntrico|grande|louca|louco|olhar de maluco|olho|pequeno
rosto com olhos semicerrados e língua para fora|eca|horrível|língua para fora com os olhos fechados|olhos fechados
rosto com cifrões|avarenta|caro|cifrão|dinheiro|ganância|grana|rica|riqueza
rosto abraçando|abraço|carinho|feliz|mãos abraçando|rosto sorrindo
rosto com a mão sobre a boca|hehe|ops|risadinha|risonho|sorriso envergonhado|vergonha
rosto com olhos abertos e mão sobre a boca|assustada|chocada|descrença|em choque|espanto|nossa|omg|passada|quieta|surpresa|temor
rosto com olho espiando|cativada|cativado|envergonhada|envergonhado|esconder|espiadinha|espiar|olhar fixamente|smiley|tímida|tímido|vergonha
rosto fazendo sinal de silêncio|faça silêncio|fica quieta|quieta|quieto
rosto pensativo|curiosa|curioso|dúvida|hmm|ideia|ideias|mão no queixo|pensando|pensativa
rosto saudando|boa sorte|exército|ok|respeito|saudação|senhor|sim|tropa
rosto com boca de zíper|boca fechada|calada|calado|quieta|quieto|segredo
rosto com sobrancelha levantada|ceticismo|confusa|confuso|cética|cético|desconfiada|desconfiado|desconfiança
rosto neutro|putz|rosto sem emoção|sem comentários|sem emoção|sem reação
rosto inexpressivo|aff|inespressiva|inespressivo|nada a dizer|sem comentários|sem expressão|tanto faz
rosto sem boca|calada|calado|quieto|sem comentários|sem palavras
rosto com linha pontilhada|deprimida|desaparecer|esconder|escondido|indiferença|introvertido|invisível|meh|tanto faz
rosto nas nuvens|cabeça nas nuvens|distraído|rosto no nevoeiro
rosto com sorriso maroto|flerte|sorriso maldoso|sorriso malicioso|suspeito
rosto aborrecido|aff|blasé|nada engraçado|não achou graça|não está feliz|rosto de que não achou graça|rosto de quem não achou graça
rosto com olhos revirados|olhando para cima|revirando os olhos|rolando os olhos|tanto faz|virando os olhos
rosto expressando desagrado|careta|fazendo careta|rosto fazendo careta|sem graça
rosto exalando|alívio|assobio|assopro|cansada|cansaço|choque|exalar|exausta|fumaça|suspiro|triste
rosto de mentiroso|mentindo|mentira|nariz crescendo|pinocchio|pinóquio
rosto tremendo|choque|louco|loucura|meu deus|pânico|surpresa|susto|terremoto|vibrar|vibração
rosto aliviado|alívio|em paz|zen
rosto deprimido|abatido|chateado|desanimado|pensativo|pra baixo
rosto sonolento|cara de sono|rosto com sono
rosto babando|babar|salivando
rosto dormindo|boa noite|cama|cansada|cansado|cochilo|dormir|soneca|sono|zzz
rosto com máscara médica|doente|gripado|resfriado
rosto com termômetro|de cama|doente|febre|febril
rosto com atadura na cabeça|acidentado|doente|ferimento|machucado|rosto com curativos
rosto nauseado|doente|enjoado|enjoo|náusea|vômito
rosto vomitando|doente|nojenta|nojento|nojo|vômito
rosto espirrando|de cama|doente|espirro|gripado|resfriado
rosto fervendo de calor|febre|febril|insolação|língua de fora|ofegante|quente|rosto vermelho|suando|suor
rosto gelado|abaixo de zero|azul|congelando|congelei|frio|glacial|gélido
rosto embriagado|alcoolizado|boca ondulada|bêbada|bêbado|embriagada|intoxicado|olhos tortos|tonta|tonto
rosto atordoado|acabado|doente|morto|tontura
rosto com olhos em espiral|caramba|confuso|desnorteado|eita|espirais|hipnotizado|problema|putz|tonto|tontura|uau
cabeça explodindo|chocada|chocado|chocante|choque|incrível|perplexo|surpreendente|surpresa|surpreso
rosto com chapéu de caubói|cara|cara de cauboi|cauboi|cowboy|sertanejo|vaqueiro
rosto festivo|animação|aniversário|apito|chapéu|comemorar|comemoração|feliz aniversário|festa|língua de sogra|parabéns|viva
rosto disfarçado|bigode|disfarce|espião|incógnito|nariz|pessoa|sobrancelha|óculos
rosto sorridente com óculos escuros|muito sol|na boa|sol|sorrindo|sorrindo de óculos escuros|sorriso de óculos|to legal
rosto de nerd|cdf|esperto|estudioso|inteligente|inteligência|sabe tudo|sabe-tudo|óculos|óculos de grau
rosto com monóculo|conservador
rosto confuso|indeciso|não entendi|não tenho certeza
rosto com boca diagonal|confusão|cético|decepção|desapontado|dúvida|frustração|indiferença|inseguro|meh|tanto faz
rosto preocupado|decepcionado
rosto meio triste|tristeza|tristinho
rosto descontente|decepcionado|decepção|insatisfeito|rosto de desaprovação|triste
rosto com boca aberta|boquiaberto|empatia|pasmo
rosto surpreso|espantado|uau
rosto espantado|chocado|estupefato|totalmente chocado
rosto ruborizado|atordoado|deslumbrado|horrorizado|impressionado|vergonha
rosto implorando|olhar de cachorrinho|olhos grandes|perdão|por favor|por que não|pq não|triste
rosto segurando as lágrimas|admiração|alegria|chorar|com raiva|emoção|gratidão|iti malia|orgulho|por favor|resistir|tristeza
rosto franzido com boca aberta|assustado|decepcionado|inesperado|rosto assustado|uau
rosto angustiado|sofrendo
rosto amedrontado|ansiedade|assustado|com medo|medo|preocupado
rosto ansioso com gota de suor|boca aberta|nervoso|rosto azul com suor frio|suando frio|suor frio
rosto triste, mas aliviado|decepcionado|não|ufa
rosto chorando|choro|lágrimas|triste
rosto chorando aos berros|chorando alto|chorar|infeliz|lágrimas|triste
rosto gritando de medo|assustada|assustado|grito|susto|temeroso
rosto perplexo|bravo|frustrado|indignado
rosto perseverante|concentrado|concentração|dor de cabeça|foco|perseverança
rosto desapontado|decepção|desapontamento|rosto decepcionado|triste
rosto cabisbaixo com gota de suor|rosto com suor frio|suando frio|suor frio
rosto desolado|aborrecido|cansado|cansei|decepcionado|exausto|infeliz|perdi
rosto cansado|desesperado|exausto
rosto bocejando|bocejo|cansada|cansado|com sono|entediada|entediado|sono|zzz
rosto soltando vapor pelo nariz|brava|bravo|furiosa|furioso|irritada|irritado|soltando fumaça|triunfo|vitória
rosto furioso|bravo|irado|vermelho|zangado
rosto zangado|irado
rosto com símbolos na boca|censurado|fala|mal|rude|xingando
rosto sorridente com chifres|cara|diabinho|diabo|malícia|roxa|sorriso
rosto zangado com chifres|bravo|demônio|diabinho|diabo
caveira|conto|corpo|fadas|morte|rosto
caveira e ossos cruzados|morte|pirata
cocô|estrume|excremento|fezes|pilha
rosto de palhaço|cara|circo|engraçado|piada
ogro|assustador|conto de fadas|demoníaco|japonês|malvado|monstro|máscara|oni|rosto
duende japonês|bravo|conto|fadas|goblin|monstro|máscara|raiva|rosto|tengu|zangado
fantasma|assombrado|assombração|buu|conto|fadas|halloween|rosto
alienígena|extraterrestre|ovni|rosto
monstro alienígena|e.t.|extraterrestre|game|invasores|ovni|pixelado
rosto de robô|monstro|robotizado
rosto de gato sorrindo|aberta|animal|boca|feliz|sorriso
rosto de gato sorrindo com olhos sorridentes|riso|sorriso
rosto de gato com lágrimas de alegria|chorando|choro|engraçado|felicidade|feliz|rir|risos
rosto de gato sorridente com olhos de coração|adorei|amor|apaixonado|paixão|sorriso
rosto de gato com sorriso irônico
rosto de gato mandando um beijo|beijando|fechado|olho
rosto de gato desolado|choque|meu deus|oh!|surpresa|surpreso
rosto de gato chorando|choro|lágrima|triste
rosto de gato mal-humorado|bico|bravo
macaco que não vê nada|envergonhado|não veja o mal|não vi nada|olhos|tapados|vergonha
macaco que não ouve nada|não ouça o mal|não ouço|não quero ouvir|ouvidos|tapados
macaco que não fala nada|animal|boca tapada|não fale nada|não posso contar|não posso falar|segredo|silencio|ups
carta de amor|coração|correspondência com coração|romance
coração com flecha|amor|cupido|emoção|flechado|paixão|romance|s2
coração com fita|amor|aniversário|dia dos namorados|presente|s2
coração brilhante|amor|emocionante|emoção|s2
coração crescendo|amor|animado|batendo|emoção|nervosismo|s2
coração pulsante|amor|batendo|emoção|s2
corações girando|adorável|amor|bonitinho|coração|emoção|s2
dois corações|amor|aniversário|casal|coração|emoção|s2
coração decorativo|amor|decoração|roxo|s2|selo
exclamação de coração|amor|pontuação|s2|sinal
coração partido|amorosa|decepção|desilusão|emoção|quebrado|rompimento|s2|sofrendo|sofrimento|triste
coração em chamas|amor|coração sagrado|fogo|luxúria
coração remendado|bem|bom|curando|mais saudável|melhorando|recuperação
coração vermelho|amor|s2
coração rosa|adorei|adorável|amo você|amor|curtir|emoção|especial|fofo|gostar|gostei|te amo
coração laranja|emoção|s2
coração amarelo|amor|emoção|love|s2
coração verde|emoção|s2
coração azul|emoção|s2
coração azul-claro|adorar|adorei|amo você|amor|emoção|especial|fofo|gostar|gostei|te amo
coração roxo|coração lilás|emoção|s2
coração marrom|s2
coração preto|negro|s2
coração cinza|adorar|adorei|amo você|amor|emoção|especial|gostar|gostei|te amo
coração branco|s2
marca de beijo|lábios|romance
cem pontos|100|certamente|certeza|conte comigo|sem dúvida|top|total
símbolo de raiva|com raiva|emoção|engraçado
colisão|emoção|engraçado|explosão|símbolo de colisão
zonzo|brilhante|emoção|engraçado|estrelas|olhando para as estrelas
pingos de suor|borrifo|com suor|emoção|engraçado|splash
rapidez|correr|corrida|emoção|engraçado|fugir
buraco|buraco no chão
balão de diálogo|balão de conversa|engraçado
olho no balão de diálogo|testemunha
balão de diálogo à esquerda|azul|conversa
balão de raiva à direita|briga|conversa|discurso|discussão|diálogo|enérgico|furioso|irado
balão de pensamento|engraçado|ideia|inventando|invenção|pensando
zzz|boa noite|cansada|cansado|com sono|dormindo|dormir|emoção|engraçado|roncando|sono
mão acenando|aceno|até mais|está aí?|flw|oi|olá|taí?|tchau
dorso da mão levantado|levantada|para tudo|pare
mão aberta com os dedos separados|5|cinco|palma|pare
mão levantada|5|cinco|erguida|high five|papel|pare|toca aqui
saudação vulcana|dedos|jornada nas estrelas|mão|saudação star trek|spock|star trek|startrek
mão para a direita|apertar|aperto|pegar|segurar
mão para a esquerda|apertar|pegar|segurar
mão com a palma para baixo|cair|derrubar|descartar|pegar|segurar|soltar|xô
mão com a palma para cima|acenar|levantar|oferecer|pegar|segurar|venha
mão empurrando para a esquerda|bate aqui|bloquear|empurrar|esperar|high five|parar|pausar|recusar|toca aqui
mão empurrando para a direita|bate aqui|bloquear|empurrar|esperar|high five|parar|pausar|recusar|toca aqui
sinal de ok|beliscar|certo|concordo|mão|rude|sinalizando|ótimo
dedos comprimidos|beliscado|coxinha|gesto de mão|hã|interrogação|italiana|itália|maravilha|mão|o quê|sarcástico
mão beliscando|beliscar|pequena quantidade|pequeno|pouco|pouquinho
mão em V de vitória|beleza|paz|sim
dedos cruzados|boa sorte|mão|sorte|torcendo
mão com dedo indicador e polegar cruzados|<3|amor|army|caro|coração|dinheiro|estalar|k-pop|kpop
gesto de "te amo"|amor|mão
saudação do rock|chifres|dedos|metal|mão
sinal "me liga"|legal|ligar|mão
dorso da mão com indicador apontando para a esquerda|costas|dedo
dorso da mão com indicador apontando para a direita|apontar|costas|dedo
dorso da mão com indicador apontando para cima|costas|dedo|dedo para cima
dedo do meio|gesto ofensivo|mão
dorso da mão com indicador apontando para baixo|abaixo|costas da mão|dedo|dedo apontado para baixo|dedo indicador|dedo para baixo|dorso da mão com dedo indicador apontando para baixo|embaixo
indicador apontando para cima|dedo|dedo apontando para cima|eu|mão
indicador apontando para o visualizador|apontar|aí|cutucar|dedo|mão|tu|você
polegar para cima|beleza|concordo|dedão|joia|mão|ok|sim|sinal|valeu
polegar para baixo|dedão|dedão para baixo|desaprovado|desaprovação|mão|não|não gostei|ruim|sinal
punho levantado|pedra|punho erguido|solidariedade
soco|beleza|fechado|força|mão|punho|tá ligado
punho esquerdo|fechada|mão|soco
punho direito|soco
mãos aplaudindo|aplauso|bom trabalho|palmas|parabéns|sinal
mãos para cima|ambas as mãos|comemoração|levantando ambas as mãos para comemorar|viva
mãos de coração|<3|amei|amo você|amor|te amo
mãos abertas|sinal|sinal de mãos abertas
palmas unidas para cima|devoção|juntas|oração
aperto de mãos|combinado|cumprimento
mãos juntas|gesto|reza|rezando|rezar
escrevendo à mão|caneta
esmalte de unha|cosméticos|manicure|mão|unhas
selfie|camera|celular|câmera|foto|smartphone
bíceps|academia|contraído|engraçado|forte|musculação|músculo
braço mecânico|acessibilidade|prótese
perna mecânica|acessibilidade|prótese
perna|chute|joelho|membro|perna dobrada|pé
pé|calcanhar|chutar|chute|pisar|pisão|tornozelo
orelha|corpo|escutar|ouvido
ouvido com aparelho auditivo|acessibilidade|deficiência auditiva|surda|surdo
nariz|cheirar|cheiro|corpo|odor|rosto
cérebro|inteligente|inteligência
coração humano|anatomia|batimento|batimento cardíaco|cardiologia|centro|coração vermelho|pulsação|pulso|s2|órgão
pulmões|anatomia|espiração|exalação|inalação|pulmão|respiração|órgão
dente|branco|dentista
osso|cachorro|esqueleto
olhos|olhando|rosto|tô de olho
olho|parte do corpo|rosto
língua|corpo|rosto
boca|batom|beijo|corpo|lábios|rosto
mordendo o lábio|ansioso|batom|beijo|flertar|lábios|medo|mordida|nervoso|preocupação|sedução|sexy|vontade
bebê|bebezinho|grávida|neném|pessoas|recém-nascido
criança|filho|jovem|neto|pequeno
menino|garoto|guri|jovem|loiro|pessoas|piá
menina|filha|garota|menininha|neta|pessoas
pessoa|adulta|adulto
pessoa: cabelo louro|loiro|pessoa loira|pessoa loura|rosto
homem|adulto|amigo|irmão|marido|namorado
homem: barba|barbudo|pessoa
homem: barbudo|barba|homem: barba
mulher: barba
homem: cabelo vermelho|adulto|amigo|irmão|marido|namorado
homem: cabelo cacheado|adulto|amigo|irmão|marido|namorado
homem: cabelo branco|adulto|amigo|irmão|marido|namorado
homem: careca|adulto|amigo|irmão|marido|namorado
mulher|adulta|garota|guria|loira|menina|mina
mulher: cabelo vermelho|adulta|garota|guria|loira|menina|mina
pessoa: cabelo vermelho|adulta|adulto
mulher: cabelo cacheado|adulta|garota|guria|loira|menina|mina
pessoa: cabelo cacheado|adulta|adulto
mulher: cabelo branco|adulta|garota|guria|loira|menina|mina
pessoa: cabelo branco|adulta|adulto
mulher: careca|adulta|garota|guria|loira|menina|mina
pessoa: careca|adulta|adulto
mulher: cabelo loiro|garota|guria|loira|loura|menina
homem: cabelo loiro|louro
idoso|adulto|avô|sábio|velho|vovó
homem idoso|adulto|avô|careca|pessoas|vovô
idosa|adulta|mulher|pessoas|velhinha|vovozinha|vovó
franzindo a sobrancelha|brava|bravo|chateada|chateado|franzindo a testa|gesto|pessoa|pessoa franzindo a sobrancelha|triste
homem franzindo a sobrancelha|carrancudo|chateado|desconfiado|gesto|magoado|menino
mulher franzindo a sobrancelha|carrancuda|desconfiada
pessoa fazendo bico|beicinho|beiço|careta|chateada|chateado|emburrada|emburrado|gesto
homem fazendo bico|apontando|cara feia|gesto|homen apontando
mulher fazendo bico|cara feia
pessoa fazendo gesto de “não”|de jeito nenhum|mão|proibido|sem chance
homem fazendo gesto de “não”|menino|mão|proibido|proibir
mulher fazendo gesto de “não”|mão|proibido
pessoa fazendo gesto de “OK”|exercício|gesto para ok|mão|mãos para cima
homem fazendo gesto de “OK”|cabeça|exercício|menino|mão|nossa
mulher fazendo gesto de “OK”|mão
pessoa com a palma virada para cima|ajuda|diva|divo|fala sério|fofoca|informações|jogada de cabelo|mão|pessoa com a mão virada para cima|sarcasmo
homem com a palma virada para cima|ajuda|fofoca|garoto|gorjeta|guri|menino|sarcasmo|sarcástico
mulher com a palma virada para cima
pessoa levantando a mão|dúvida|eu|eu sei|feliz|gesto|levantar a mão
homem levantando a mão|eu|eu sei|gesto|menino|pedir a palavra|pergunta|voluntário
mulher levantando a mão|gesto|pedir a palavra
pessoa surda|acessibilidade|audição|orelha|surdo|surdos
homem surdo
mulher surda
pessoa fazendo reverência|arrependimento|desculpa|desculpe|gesto|meditação|perdão|reverência respeitosa
homem fazendo reverência|desculpas|gesto|homem pedindo desculpas|respeito
mulher fazendo reverência|desculpas|desculpe|gesto|meditar|meditação|mulher pedindo desculpas|respeito
pessoa decepcionada|como assim|decepcionado|decepção|desapontamento|descrença|inacreditável|meu deus|não acredito|não é possível|pessoa dececionada
homem decepcionado|como assim|decepção|desapontamento|inacreditável|meu deus|não acredito|não é possível
mulher decepcionada|como assim|decepção|desapontamento|inacreditável|meu deus|não acredito|não é possível
pessoa dando de ombros|dar de ombros|dúvida|ignorância|indiferença|não sei|quem sabe|sei lá|tanto faz
homem dando de ombros|dar de ombros|dúvida|indiferença|menino|não sei|quem sabe|sei lá|tanto faz
mulher dando de ombros|dar de ombros|dúvida|garota|indiferença|menina|não sei|quem sabe|sei lá|tanto faz
profissional de saúde|cuidados de saúde|enfermeira|médico|terapeuta
homem profissional da saúde|doutor|enfermeiro|médico|terapeuta
mulher profissional da saúde|doutora|enfermeira|garota|guria|menina|médica|terapeuta
aluno|estudante|graduando
estudante|aluno|colando grau|formando|graduação|homem
aluna|estudante|formanda|mulher
professora na escola|instrutora
professor|educador|homem|instrutor|mestre
professora|instrutora|mestra|mulher
juiz no tribunal|balança
juiz|balança|homem|justiça|juíz
juíza|balança|justiça|mulher
agricultor|jardineiro|rancheiro
fazendeiro|agricultor|homem|jardineiro
fazendeira|agricultora|jardineira|mulher
chef de cozinha|cozinheiro
cozinheiro|chef|homem|restaurante
cozinheira|chef|mulher
mecânico trabalhando|eletricista|encanador|prestador de serviço
mecânico|eletricista|encanador|homem|prestador de serviços
mecânica|eletricista|encanadora|mulher|prestadora de serviços
funcionário de fábrica|industrial|montagem|trabalhador
operário|fábrica|homem|indústria|metalúrgico|trabalhador
operária|fábrica|indústria|mulher|trabalhadora
trabalhador de escritório|arquiteto|colarinho branco|gerente|negócios
funcionário de escritório|arquiteto|colarinho branco|empresário|gerente|homem
funcionária de escritório|arquiteta|branco|colarinho|empresária|gerente|mulher
cientista|biólogo|engenheiro|físico|químico
cientista homem|biólogo|físico|professor|químico
cientista mulher|bióloga|física|professora|química
programador|desenvolvedor|inventor|software|tecnólogo
tecnólogo|codificador|computador|criador|desenvolvedor|homem|inventor|programador|software
tecnóloga|codificadora|computador|criadora|desenvolvedora|inventora|mulher|programadora|software
cantor|ator|entretenimento|estrela|rock
cantor homem|artista|ator|pop|rock
cantora|artista|atriz|mulher|pop|rock
artista|paleta
artista plástico|homem|pintor|pintura|quadros
artista plástica|mulher|pintura
piloto|avião
piloto de avião homem
piloto de avião mulher|garota|guria|voando
astronauta|foguete
astronauta homem|espaço|foguete
astronauta mulher|espaço|foguete
bombeiro|caminhão de bombeiros
bombeiro homem|caminhão|corpo de bombeiros|fogo|incêndio
bombeira|caminhão|corpo de bombeiros|fogo|incêndio|mulher
policial|autoridade|multar|pessoa|polícia|prender
policial homem|polícia|tira
policial mulher|autoridade|multar|polícia|prender|tira
detetive|espião|investigador|rosto|rosto com lupa
detetive homem|espião|investigador
detetive mulher|espionar|espiã|investigadora|investigar
guarda|londres|palácio|pessoas|segurança
guarda homem|segurança
guarda mulher|buckingham|londres|palacio|realeza|segurança
ninja|assassino|furtividade|guerra|habilidades|luta|lutador|oculto|pessoa|soldado
trabalhador de construção civil|capacete|chapéu|construir|pessoa
pedreiro|construção|homem|operário
pedreira|capacete|construção|contrução|mulher|operária|operário|pedreiro
pessoa com coroa|monarca|nobre|princesa|príncipe|rainha|real|realeza|rei|reino
príncipe|realeza|rei
princesa|conto|coroa|fadas|fantasia|loira|menina|mulher|pessoas|rainha
pessoa com turbante
homem com turbante
mulher com turbante
homem de boné|chapéu chinês|gua pi mao|guapimao|homem com gua pi mao|pessoas
mulher com véu|cabeça|hijab|lenço
pessoa de smoking|festa|gala|homem|homem de smoking|noivo
homem de smoking
mulher de smoking
pessoa com véu|casamento|noiva|noiva com véu|pessoas|véu de noiva
noivo com véu
noiva com véu
grávida|estou grávida|gravidez|mulher
homem grávido|barriga|cheia|cheio|comi demais|excesso de peso|gravidez|inchado|pessoa
pessoa grávida|barriga|cheia|cheio|comi demais|excesso|excesso de peso|gravidez|inchada
amamentando|amamentação|bebê|leite|materno|mãe|neném
mulher alimentando bebê|amamentando|amamentação|amor|mamãe|mãe|nascido|neném|pessoa|recém|recém-nascido
homem alimentando bebê|amamentando|amamentação|amor|neném|pai|papai|pessoa|recém nascido|recém-nascido
pessoa alimentando bebê|amamentar|amamentação|homem|mulher|mãe|neném|pai|recém-nascido
bebê anjo|conto|fadas|rosto
Papai Noel|comemoração|festas|natal
Mamãe Noel|comemoração|natal|vovó
noel|chapéu|feliz|festas|gorro|mamãe|natal|pessoa
super-herói|bem|boa|bom|heroína|super-homem|superman|superpoder
homem super-herói|bom|superpoder
super-heroína|boa|herói|mulher|superpoder
supervilão|bandido|criminoso|mal|malvado|mau|superpoder
homem supervilão|criminoso|mal|superpoder
supervilã|criminosa|mulher|má|superpoder
mago|bruxa|fantasia|feiticeira|feiticeiro|feitiço|maga|magia|rpg
homem mago|feiticeiro
maga|bruxa|feiticeira
fada|asas|conto|encantado|fantasia|ser
homem fada
mulher fada
vampiro|assustador|bruxas|dia|drácula|fantasia|halloween|monstro|sangue|terror
homem vampiro|drácula
mulher vampira
pessoa sereia|canto|cauda|contos|criatura|fada|fundo|mar|oceano|ser encantado|sirene|tridente
sereio|tritão
sereia
elfo|duende|fantasia|légolas|magia|mágico|místico|rpg|ser encantado
elfo homem|duende homem
elfa|duende mulher
gênio|desejos|fantasia|lâmpada|mágica|místico
homem gênio
mulher gênio
zumbi|apocalipse|assustador|bruxas|dia|halloween|morto-vivo|terror
homem zumbi|cazumbi
mulher zumbi|cazumbi
troll|conto|fadas|fantasia|gigante|monstro|ogro
pessoa recebendo massagem facial|dor de cabeça|pele|relaxar|rosto|spa|tensão
homem recebendo massagem facial|acalmar|dor de cabeça|menino|relaxamento|relaxar|rosto|salão|tenso|tensão
mulher recebendo massagem facial|relaxamento
pessoa cortando o cabelo|beleza|corte de cabelo|salão|salão de beleza
homem cortando o cabelo|barbeiro|beleza|corte|menino|salão
mulher cortando o cabelo|corte de cabelo|salão de beleza
pessoa andando|andar|caminhada|caminhar|passo|pedestre|perambulando
homem andando|andar|caminhar|homem caminhando
mulher andando|andar|caminhada|caminhando|caminhar|passeio|pedestre|perambulando
pessoa em pé|de pé
homem em pé
mulher em pé
pessoa ajoelhando|ajoelhado|ajoelhar|joelhos|pedir|por favor
homem ajoelhando|ajoelhado
mulher ajoelhando|ajoelhada
pessoa com bengala para cego|acessibilidade
homem com bengala para cego|accessibilidade
mulher com bengala para cego|accessibilidade|cega|deficiência visual
pessoa em cadeira de rodas motorizada|acessibilidade
homem em cadeira de rodas motorizada|acessibilidade
mulher em cadeira de rodas motorizada|acessibilidade
pessoa em cadeira de rodas manual|acessibilidade
homem em cadeira de rodas manual|acessibilidade
mulher em cadeira de rodas manual|acessibilidade
pessoa correndo|correr|corrida|esporte|maratona|maratonista|pressa
homem correndo|corrida|esporte|maratona
mulher correndo|corredora|corrida|esporte|garota|guria|maratona|menina|pressa|rápida|rápido
mulher dançando|bailarina|flamenco|pessoas|salsa|tango|vamos dançar
homem dançando
homem de terno levitando
pessoas com orelhas de coelho|amigas|dançar|dançarinas|festa|gêmeas|melhores
homens com orelhas de coelho|dançarino|festa|homem|meninos
mulheres com orelhas de coelho|dançarinas|festa|orelha de coelho
pessoa na sauna|banho|homem|mulher|relaxar|spa
homem na sauna
mulher na sauna
pessoa escalando|alpinista|escalada|escalar|esporte|montanha
homem escalando|escalar
mulher escalando|escalar
esgrimista|esgrima|espada|esporte|pessoa
corrida de cavalos|esporte|jockey|jóquei
esquiador|esporte|frio|neve
praticante de snowboard|esporte|inverno|neve|ski
golfista|bola|esporte|golfe|jogando
homem golfista|golfe|homem jogando golfe
mulher golfista|bola|esporte|garota|golfe|menina
surfista|esporte|onda|ondas|pessoa|praia|prancha
homem surfista|surfando
mulher surfista|esporte|garota|guria|mar|menina|onda|praia|surfando|surfe
pessoa remando|barco|bote|canoa|mar|oceano|remo|rio
homem remando|esporte|remador|remo
mulher remando|barco|caiaque|canoa|esporte|garota|menina|pescaria|remadora|remo|rio
pessoa nadando|esporte|nadar|natação|olimpíada|triatlo
homem nadando|nadar|natação
mulher nadando|esporte|homem|nadadora|nado|natação|olimpíada|triatlo
pessoa jogando basquete|arremesso|atleta|bater bola|bola|cesta|esporte|jogador|lance livre
homem jogando basquete|bola|esporte
mulher jogando basquete|basketball|bola|esporte|garota|jogadora|jogo|menina
pessoa levantando peso|bodybuilder|esporte|fisiculturista|força|levantar
homem levantando peso|esporte|força
mulher levantando peso|esporte|força|garota|guria|levantadora de peso|levantar|malhar|menina
ciclista|bicicleta|bike|ciclismo|esporte|pedalar
homem ciclista|bicicleta|esporte|passeio
mulher ciclista|bicicleta|bike|ciclismo|esporte|garota|guria|menina|passeio|pedalando|pedalar
pessoa fazendo mountain bike|bicicleta|ciclismo|ciclista|esporte|montanha|pedalando|trilha
homem fazendo mountain bike|bicicleta|ciclista
mulher fazendo mountain bike|bicicleta|ciclista|esporte|garota|guria|menina|montanha|pedalar
pessoa fazendo estrela|animada|animado|esporte|estrelinha|feliz|ginasta|ginástica
homem fazendo estrela|animado|esporte|estrelinha|feliz|ginástica|menino|virar
mulher fazendo estrela|animada|esporte|feliz|ginasta|ginástica|menina|virar
pessoas lutando|combate|esporte|greco-romana|livre|lutador|torneio
homens lutando|combate|esporte|greco-romana|homem|livre|lutador|torneio
mulheres lutando|combate|esporte|greco-romana|livre|lutadora|torneio
pessoa jogando polo aquático|competição|esporte|piscina
homem jogando polo aquático|esporte|jogador|piscina
mulher jogando polo aquático|esporte|jogadora|menina|piscina
handebol|atleta|bola|esporte|gol|handball|jogador|passe|pessoa
jogador de handebol|bola|esporte|handball|homem|jogando|menino|quadra
jogadora de handebol|bola|esporte|gol|handball|jogando|menina|mulher|passe|quadra
malabarista|equilíbrio|habilidade|malabares|malabarismo|multitarefa
homem malabarista|equilíbrio|habilidade|malabares|malabarismo|multitarefa
mulher malabarista|equilíbrio|habilidade|malabarismo|multitarefa
pessoa na posição de lótus|cruzadas|ioga|meditação|pernas|postura|relaxar|serenidade|yoga|zen
homem na posição de lótus|ioga|meditação|yoga
mulher na posição de lótus|ioga|meditação|yoga
pessoa tomando banho|banheira|espuma|água
pessoa deitada na cama|boa|cochilo|dormindo|dormir|hotel|noite|soneca|sono
pessoas de mãos dadas|amigos|casal|gêmeos|parceiros|parceria
duas mulheres de mãos dadas|amigas|casal|gêmeas|parceiras|parceria|pessoa
homem e mulher de mãos dadas|amigos|casal|pessoas
dois homens de mãos dadas|amigos|casal|gêmeos|homem|irmãos|namorados|pessoas
beijo|amor|beijar|casal|coração|pessoas|romance
beijo: mulher e homem|amor|beijar|casal|coração|pessoas|romance
beijo: homem e homem|amor|beijar|casal|coração|pessoas|romance
beijo: mulher e mulher|amor|beijar|casal|coração|pessoas|romance
casal apaixonado|casal com um coração|coração|pessoas|romance
casal apaixonado: mulher e homem|casal com um coração|coração|pessoas|romance
casal apaixonado: homem e homem|casal com um coração|coração|pessoas|romance
casal apaixonado: mulher e mulher|casal com um coração|coração|pessoas|romance
família: homem, mulher e menino|filho|mãe|pai|pessoas|um filho
família: homem, mulher e menina|filho|mãe|pai|pessoas|um filho
família: homem, mulher, menina e menino|filho|mãe|pai|pessoas|um filho
família: homem, mulher, menino e menino|filho|mãe|pai|pessoas|um filho
família: homem, mulher, menina e menina|filho|mãe|pai|pessoas|um filho
família: homem, homem e menino|filho|mãe|pai|pessoas|um filho
família: homem, homem e menina|filho|mãe|pai|pessoas|um filho
família: homem, homem, menina e menino|filho|mãe|pai|pessoas|um filho
família: homem, homem, menino e menino|filho|mãe|pai|pessoas|um filho
família: homem, homem, menina e menina|filho|mãe|pai|pessoas|um filho
família: mulher, mulher e menino|filho|mãe|pai|pessoas|um filho
família: mulher, mulher e menina|filho|mãe|pai|pessoas|um filho
família: mulher, mulher, menina e menino|filho|mãe|pai|pessoas|um filho
família: mulher, mulher, menino e menino|filho|mãe|pai|pessoas|um filho
família: mulher, mulher, menina e menina|filho|mãe|pai|pessoas|um filho
família: homem e menino|filho|mãe|pai|pessoas|um filho
família: homem, menino e menino|filho|mãe|pai|pessoas|um filho
família: homem e menina|filho|mãe|pai|pessoas|um filho
família: homem, menina e menino|filho|mãe|pai|pessoas|um filho
família: homem, menina e menina|filho|mãe|pai|pessoas|um filho
família: mulher e menino|filho|mãe|pai|pessoas|um filho
família: mulher, menino e menino|filho|mãe|pai|pessoas|um filho
família: mulher e menina|filho|mãe|pai|pessoas|um filho
família: mulher, menina e menino|filho|mãe|pai|pessoas|um filho
família: mulher, menina e menina|filho|mãe|pai|pessoas|um filho
silhueta falando|berro|cabeça|grito|voz
silhueta de busto|mistério|pessoas|sombra
silhueta de bustos|amigos|dupla|pessoas
pessoas se abraçando|abraço|adeus|amizade|amor|carinho|conforto|obrigado|olá
família|filho|mãe|pai|pessoas|um filho
pegadas|corpo|gravura|pé|pés descalços|rastro
rosto de macaco|animal
macaco|animal
gorila|animal|macaco
orangotango|macaco|primata
rosto de cachorro|animal
cachorro|animal|cão
cão-guia|acessibilidade|cachorro|cadela|cega|cego|cegueira|deficiência visual|labrador
cão de serviço|accessibilidade|assistência|cachorro|cadela|cão-guia|pastor alemão
poodle|animal|cachorro
rosto de lobo|animal
rosto de raposa|animal|bicho
guaxinim|animal|astuto|curioso|travesso
rosto de gato|animal|felino|gatinho
gato|animal|felino
gato preto|animal|azar|dia das bruxas|felino|gata|halloween|miado|miau
rosto de leão|animal|zodíaco
rosto de tigre|animal
tigre|animal
leopardo|animal|onça
rosto de cavalo|animal|equino
alce|animal|cervo|chifres|galhada|mamífero|rena
burro|animais|animal|asno|jegue|mamífero|mula|relinchar|relincho|teimosa|teimoso
cavalo|animal|corrida|equestre
rosto de unicórnio|animal
zebra|animal|listra|listras
cervo|animal|veado
bisão|animal|bisonte|búfalo|rebanho
rosto de vaca|animal|fazenda|leite|muuu|vaquinha
boi|animal|touro|zodíaco
búfalo-asiático|animal|água
vaca|animal|fazenda
rosto de porco|animal
porco|animal
javali|animal
nariz de porco|animal|rosto
carneiro|animal|chifre|zodíaco|áries
ovelha|animal|fazenda|lã
cabra|animal|bode|capricórnio|zodíaco
camelo|animal|camelo de uma só corcova|corcova|deserto|dromedário
camelo com duas corcovas|animal|camelo asiático com duas corcovas|deserto
lhama|alpaca|animal|guanaco|lã|vicunha
girafa|animal
elefante|animal
mamute|animal|extinto|grande|lanoso|presa|pré-histórico
rinoceronte|animal
hipopótamo|animal
rosto de camundongo|animal|ratinho|rato
camundongo|animal|ratinho
rato|animal|ratazana
rosto de hamster|animal
rosto de coelho|animal
coelho|animal|coelhinho|coelhinho da páscoa
esquilo|animal
castor|animal|dentuço|represa
porco-espinho|animal|espinhoso|ouriço
morcego|animal|vampiro
rosto de urso|animal
urso polar|branco|ártico
coala|animal
rosto de panda|animal
preguiça|bicho-preguiça|devagar|lenta|lentidão|preguiçosa|preguiçoso
lontra|brincalhona|pesca
gambá|fedida|fedido|fedor
canguru|animal|austrália|filhote|joey|marsupial|pula|pulo|salto
texugo|animal|incomodar|ratel|texugo de mel
patas|animal|patinhas de cachorro|pegada|pegada de pata
peru|animal|ave|peru de natal
galinha|animal|ave
galo|animal|ave
pintinho chocando|animal|ave|bebê|filhote|galinha|pinto
pintinho de perfil|animal|ave|bebê|filhote|galinha|pinto|rosto de pintinho
pintinho de frente|animal|ave|bebê|fihote|galinha|pintinho olhando para frente|pinto
pássaro|animal
pinguim|animal|antartica|frio
pomba branca|animal|ave branca|paz|pássaro
águia|pássaro
pato|animal|pássaro
cisne|animal|ave|patinho feio|pássaro
coruja|pássaro|sabedoria
dodô|animal|ave|extinto|grande|maurício|pássaro
pena|leve|plumagem|pássaro|voo
flamingo|ave|extravagante|tropical
pavão|animal|ave|colorido|orgulhoso|pavoa|pomposo
papagaio|animal|ave|fala|pirata|pássaro|repete
asa|angelical|anjo|ascender|aviação|celestial|mitologia|pássaro|voando|voar|voar alto
pássaro preto|animal|ave|bico|corvo|gralha|passarinho
ganso|animal|ave|bobo|gansos|grasno|marreco|pato|pássaro
sapo|animal|rosto|rosto de sapo
crocodilo|animal|jacaré
tartaruga|animal
lagartixa|animal|lagarto|réptil
cobra|animal|réptil|serpente
rosto de dragão|animal
dragão|animal|game of thrones
saurópode|braquiosaurus|braquiossauro|brontossauro|brontossuro|dinossauro|diplodocus|diplódoco
tiranossauro rex|dinossauro|t-rex
baleia esguichando água|animal|esguicho
baleia|animal|mar|oceano
golfinho|animal|oceano
foca|animal|animal marinho|leão marinho|leão-marinho|oceano
peixe|animal|peixes|pesca|pescar|signo de peixes|zodíaco
peixe tropical|animal
baiacu|animal|peixe
tubarão|peixe
polvo|animal|oceano|octopus
caramujo|animal|concha|concha do mar|concha em espiral
coral|mar|mudança climática|oceano|recife
água-viva|ai|animal|aquário|ferrão|invertebrado|mar|marinha|medusa|oceano|queimadura|tentáculos
caranguejo|animal|animal marinho|câncer|signo de câncer|zodíaco
lagosta|animal|bisque|caldo|fruto do mar|garras
camarão|animal|comida|crustáceo
lula|animal|comida|molusco
ostra|frutos do mar|mar|mergulho|pérola
caracol|animal|escargot
borboleta|beleza|inseto
inseto|animal|centopeia|lagarta
formiga|animal|inseto
abelha|animal|inseto|natureza
besouro|animal|bicho|inseto
joaninha|animal|besouro|inseto|tipo de besouro
grilo|gafanhoto|inseto
barata|animal|baratas|inseto|nojento|nojo|praga
aranha|animal|dias das bruxas|halloween|inseto
teia de aranha|halloween|inseto
escorpião|animal|deserto|inseto|zodíaco
mosquito|aedes|aegypti|amarela|animal|chicungunha|dengue|doença|febre|inseto|malária|pernilongo|vírus|zica
mosca|animal|apodrecendo|doença|inseto|larva|mosca-varejeira|praga|varejeira
minhoca|anelídeo|animal|parasita|verme
micróbio|ameba|bactéria|ciência|vírus
buquê|aniversário|flor|planta|romance
flor de cerejeira|cereja|planta|primavera
flor branca|carimbo|carimbo de flor|carimbo de parabéns
lótus|beleza|budismo|calma|flor|flor de lótus|hinduísmo|paz|pureza|serenidade|vietnã|índia
roseta|flor|flor amarela|planta|primavera
rosa|flor
flor murcha|morrendo|murchando
hibisco|flor|planta|primavera
girassol|flor|planta
flor|florescer|planta
tulipa|flor
jacinto|arbusto|bluebonnet|flor|flor-crânio-do-dragão|lavanda|lilás|lupinus|planta|primavera|roxo|violeta
muda de planta|brotar|broto|jovem|planta jovem|plantinha
vaso com planta|casa|chato|decoração|nutrir|plantar|samambaia|sem utilidade
conífera|floresta|natal|pinheirinho|pinheiro|árvore|árvore de pinheiro
árvore caidiça|desfolha|natureza|árvore cheia
palmeira|coqueiro|árvore|árvore de palmeira
cacto|deserto|natureza|planta|seca
planta de arroz|comida|espiga|espiga de arroz|fazenda|grãos|planta do arroz
erva|folha|planta
trevo|irlanda|irlandês|planta|trevo de três folhas
trevo de quatro folhas|irlandês|planta|sorte|sortudo
folha de bordo|folha caída|folha vermelha|maple|outono
folhas caídas|cair|outono
folha ao vento|soprando
ninho vazio|aninhando|galhos|lar|passarinho|pássaro
ninho com ovos|aninhando|galhos|lar|passarinho|pássaro
cogumelo|champignon|fungo|mario|planta
uvas|fruta
melão|fruta
melancia|fruta
tangerina|cítrica|fruta|laranja
limão|azedo|cítrico|fruta|lima|limão siciliano
banana|fruta
abacaxi|comida|fome|fruta
manga|comida|fruta|tropical
maçã vermelha|fruta
maçã verde|comida|fome|fruta
pera|comida|fome|fruta
pêssego|fruta
cereja|comida|fome|fruta|frutas vermelhas
morango|comida|fome|fruta|frutas vermelhas
mirtilos|alimento|azul|baga|blueberry|comida|fruta|silvestre
kiwi|comida|fruta
tomate|fruta|fruto|legume|vegetal
azeitona|alimento|comida|oliveira
coco|fruta|palmeira|piña colada
abacate|comida|fruta
berinjela|beringela|comida|legume|vegetal
batata|comida|fome|legume|vegetal
cenoura|comida|fome|legume|salada|vegetal
milho|comida|espiga|espiga de milho|fome
pimenta|apimentada|apimentado|tempero
pimentão|alimento|capsicum|comida|pimenta|pimentão verde|vegetal
pepino|comida|fome|legume|picles|salada|vegetal
verdura|alface|bok choy|comida|couve|hambúrguer|repolho|repolho chinês|salada
brócolis
alho|tempero
cebola|tempero
amendoim|comida
feijões|alimento|comida|feijão|grão|legume
castanha|planta
gengibre|cerveja|comida|erva|especiaria|natural|raiz|saúde|tempero
vagem|comida|edamame|ervilha|feijão|grão|legume|leguminosa|pé de feijão|vegetal
pão|pão de forma|pão para fatiar|restaurante|torrada|tostex
croissant|café da manhã|comida|fome|pão
baguete|bisnaga|comida|pão|pão francês
pão sírio|alimento|arepa|comida|lavash|naan|pita|pão folha
pretzel|pão torcido
bagel|café da manhã|chimia|comida|confeitaria|pão|rosca|rosquinha
panquecas|café da manhã|comida|crepes|fome
waffle|doce|gofre|wafel|wafle
queijo|comida|fome|queijo suíço
carne|carne com osso|carne no osso|churras|churrasco|osso|restaurante
coxa de frango|aves|comida|coxinha|fome|osso|peru|restaurante
corte de carne|bife|carne vermelha|costela de cordeiro|costeleta|costeleta de porco|porco
bacon|comida|fome|toucinho
hambúrguer|cheese burguer|restaurante
batata frita|comida|fast food|fome|fritas|lanchonete|restaurante
pizza|fatia|restaurante
cachorro-quente|cachorro quente|hot dog|pão com salsicha|pão com vina|vina
sanduíche|pão|pão de forma
taco|comida mexicana|mexicano|tacos
burrito|comida mexicana|mexicano
tamale|alimento|comida|enrolado|mexicano|milho|pamonha
pão recheado|comida|kebab|recheio|wrap
falafel|almôndega|grão de bico
ovo|comida|fome
ovo frito|comida|culinária|frigideira|ovo estrelado|restaurante
caçarola com comida|fome|paella|panela|rasa
panela|ensopado|restaurante|tigela de comida
fondue|alimento|chocolate|comida|derretido|panela|queijo|suíço
tigela com colher|café da manhã|cereal|prato de sopa
salada verde|comida|fome|restaurante
pipoca|balde|cinema
manteiga|laticínio|margarina
sal|comida|condimento|sabor|saleiro|salgado
comida enlatada
bentô|almoço japonês|caixa|caixa de bentô|restaurante
biscoito de arroz|bolacha de arroz|cracker
arroz japonês|bolinho de arroz|comida|fome|onigiri|restaurante
arroz cozido|comida|fome|restaurante
arroz com curry|curry e arroz|restaurante
lámen|comida|fome|macarrão|miojo|quentinha|ramen|restaurante|sopa|tigela|tigela de macarrão
espaguete|comida|fome|italiano|macarronada|macarrão|restaurante
batata assada|batata-doce|doce|restaurante
oden|espetinho|frutos do mar|frutos do mar no espetinho|restaurante
sushi|comida japonesa|restaurante|restaurante japonês|sashimi
camarão frito|camarão empanado|restaurante|tempura
bolinho de peixe|croquete|redemoinho|restaurante
bolo lunar|bolo da lua|comida|confeitaria|festival|festival chinês|outono|yuèbǐng
dango|bolinho de mochi|bolinho de mochi no espetinho|bolinho japonês|comida|doce|fome|japonês|mochi|mochiko|sobremesa
bolinho asiático|chinês|dumpling|empanada|gyōza|jiaozi|massa|pierogi|potsticker
biscoito da sorte|biscoito chinês|biscoito da fortuna|profecia
caixa para viagem|caixinha para levar|delivery|marmita
sorvete italiano|doce|fome|sobremesa|sorvete de casquinha|sorvete de massa|sorvete na casquinha
raspadinha de gelo|restaurante|sobremesa
sorvete|creme|gelo|restaurante|sobremesa
donut|comida|fome|restaurante|rosquinha|sonho doce
biscoito|bolacha|comida|cookie|doce|fome|sobremesa
bolo de aniversário|comemoração|doce|feliz aniversário|festa
pão de ló de morango|bolo|bolo recheado|doce|fatia|fatia de bolo|restaurante|sobremesa
cupcake|açúcar|bolinho|bolo|comida|confeitaria|confeito|doce|sobremesa|torta
torta|abóbora|carne|doce|fatia|fatia de torta|fruta|maçã|padaria|recheio|salgado
chocolate|barra|barra de chocolate|doce|fome
bala|balinha|doce
pirulito|bala|doce
pudim|pudim de leite|pudim de ovos|restaurante
pote de mel|restaurante
mamadeira|bebê|leite|leitinho|mamar|neném
copo de leite
café|cafezinho|cafeína|chá|inverno|quente
bule|alimento|bebida|chaleira|chá|comida|infusão
xícara de chá sem alça|bebida|chá verde
saquê|bar|bebida|copo|garrafa|garrafa e copo de saquê|japonês|restaurante
garrafa de champanhe|aniversário|bar|champagne|champanha|cidra|comemorar|espumante|estourar|festa|parabéns
vinho|bar|bebida|cálice de vinho|restaurante|taça
coquetel|bar|beber|bebida|cachaça|happy hour|martini|restaurante|taça|taça de coquetel
bebida tropical|bar|coquetel|coquetel de frutas|drink|happy hour|restaurante
cerveja|bar|bebida|caneca|caneca de cerveja|chopp|gelada|happy hour|restaurante
canecas de cerveja|bar|chope|chopp|restaurante
taças brindando|brinde|champagne|champanhe|comemoração|tim-tim
copo|bar|bebida|drink|whisky
derramando líquido|acabou|acidente|bebida|copo|derramar|derrubar|fim|ops|pingar|vazio|água
copo com canudo|refrigerante|suco|água
chá perolado|bebida|bolha|bubble tea|comida|leite|pobá|pérola
suco de caixa|caixa de suco|caixinha de suco|suquinho
mate|bebida|chimarrão|cuia de chimarrão|tereré
cubo de gelo|gelado|iceberg
hashi|comida japonesa|pauzinhos
prato com talheres|almoço|faca|fome|garfo|jantar|prato com talheres ao lado|restaurante
garfo e faca|almoço|comer|comida|fome|jantar|restaurante|talher|talheres
colher|talher
faca de cozinha|chef|cozinhar
jarro|armazenar|condimento|conserva|jarra|molho|nada|pote|recipiente|vazio|vidro
ânfora|ornamento chinês|vaso|vaso chinês
globo mostrando Europa e África|terra
globo mostrando as Américas|terra
globo mostrando Ásia e Oceania|austrália|planeta terra|terra
globo com meridianos
mapa-múndi|geografia|mundo
mapa do Japão
bússola|bússola magnética|direção|magnético|navegação|norte|orientação|pontos cardeais|ímã
montanha com neve|alpes|frio
montanha|natureza
vulcão|erupção vulcânica|lava|natureza
Monte Fuji|montanha
acampamento|barraca
praia e guarda-sol
deserto|clima seco
ilha deserta|palmeira|praia
parque nacional|parque com rio|reserva florestal|rio
estádio|arena
prédio grego|arquitetura|clássico
construção|guindaste|obra
tijolo|argamassa|argila|cimento|muro|parede|terra
pedra|pedregulho|pesado|rocha|seixo|sólido
madeira|lenha|madeira serrada|tora|tronco
cabana|abrigo|casa|yurt
casas
casa abandonada
casa|construção|domicílio|lar|residência
casa com jardim|construção|lar
edifício comercial|escritório
correio japonês|oriental|prédio
correio|europeu|prédio
hospital|doente|internado|médico|prédio
banco|prédio
hotel|prédio
motel|amor|hotel|prédio
loja de conveniência|24 horas|24h|prédio
escola|colégio|prédio|prédio da escola
loja de departamentos|estabelecimento comercial
fábrica|prédio
castelo japonês|pagoda|pagode|prédio
castelo|castelo europeu|castelo medieval|prédio
capela de casamento|romance
Torre de Tóquio|japão
Estátua da Liberdade
igreja|capela|cristã|cristão|missa|prédio|religião
mesquita|islã|muçulmano|religião
templo hindu
sinagoga|judaísmo|judeu|judia|religião|templo
santuário japonês|oriental|religião|xintoísmo
caaba islã|muçulmano|religião
fonte|chafariz|praça|água
barraca|acampamento|acampar
enevoado|bruma|cerração|neblina|nevoeiro|névoa
noite estrelada|cidade à noite|estrelas|prédios
cidade|prédios|urbano
aurora sobre montanhas|nascer do sol sobre as montanhas|sol da manhã
aurora sobre água|amanhecer|natureza|oceano|rio|sol|sol da manhã|sol nascendo
cidade ao anoitecer|paisagem|prédio|pôr do sol
pôr do sol|anoitecer|calor|cidade|entardecer|prédio|pôr do sol sobre prédios
ponte à noite|pontilhão
chamas|calor|fogo|fumaça|quente
carrossel|cavalo|cavalo de carrossel|entretenimento|parque de diversão
escorregador|brincar|brinquedo|escorregar|parque de diversões|parquinho|playground
roda gigante|entretenimento|parque de diversões
montanha russa|entretenimento|parque de diversões|parque temático
barbearia|barbeiro|barber pole|cortar cabelo|poste|poste de barbeiro
circo|entretenimento|lona|lona de circo|tenda
locomotiva|trem|vapor|veículo
vagão de trem|bonde|elétrico|ferroviário|transporte|trólebus|veículo
trem de alta velocidade|bala|japonês|trens|veloz|veículo
trem de alta velocidade japonês|bala|ferrovia|japão|veloz|viagem
trem|ferrovia|veículo
metrô|trem|túnel|túnel subterrâneo|veículo
trem urbano|chegada|cheguei|leve|veículo
estação|estação de trem|metrô|trem
bonde elétrico|trólebus|veículo
monotrilho|trem|veículo
estrada de ferro na montanha|carro|teleférico|veículo
bonde|bonde elétrico|carro|trólebus|veículo
ônibus|transporte público|veículo
ônibus se aproximando|veículo
trólebus|bonde elétrico|veículo|ônibus|ônibus movido a eletricidade
van|mini ônibus|veraneio|veículo|ônibus
ambulância|veículo
carro do corpo de bombeiros|caminhão do corpo de bombeiros|fogo|incêndio|veículo
viatura policial|carro patrulha|polícia|veículo
viatura policial se aproximando|polícia|veículo
táxi|veículo
táxi se aproximando|chegada|transporte|veículo
carro|automóvel|veículo
carro se aproximando|automóvel|carona|chegada|veículo
SUV|carro|trailer|veículo|veículo recreacional
caminhonete|automóvel|caminhão|carro|caçamba|picape|pick-up|pickup|transporte|veículo
caminhão de entrega|veículo
caminhão|caminhão articulado|semi|trailer|veículo
trator|obra|veículo
carro de corrida|automobilismo
motocicleta|corrida|veículo
scooter|monareta|motinho|moto|motoca
cadeira de rodas manual|acessibilidade
cadeira de rodas motorizada|acessibilidade
automóvel riquixá|autorriquixá|tuk tuk
bicicleta|bike|veículo
patinete|brinquedo
skate|rodinhas|skatista
patins de rodas|esporte|patinação|roller
ponto de ônibus|busão|transporte público
estrada|caminho|viagem|viajar
trilhos|trem
barril de óleo|lata|latão
posto de gasolina|abastecer|bomba|combustível|álcool
roda|carro|círculo|direção|girar|pneu|veículo|volante
sirene|carro da polícia|farol policial|luz de viatura policial|luz giratória
semáforo horizontal|cruzamento|luz|sinal|sinaleira|trânsito
semáforo vertical|cruzamento|luz|sinal|sinaleira|trânsito
sinal de pare
em construção|símbolo|símbolo para “em construção”
âncora|marinha|navegar|sinal
boia|colete|flutuar|guarda-vidas|guardar|nadar|resgate|salva|salva-vidas|segurança|vidas
barco a vela|iate|navegar|oceano|praia|resort
canoa|barco
lancha|barco|férias|praia|verão|veículo
cruzeiro|barco|embarcação|navio|passageiros|veículo
balsa|barco|ferry|ferry boat|ferry-boat|navegar
barco|lancha|motor|navio|veículo
navio|aquático|barco|cruzeiro|férias|veículo|viagem
avião|aéreo|veículo|viajar|voar|voo
avião pequeno|aéreo|jatinho|jato|veículo
avião decolando|decolar|fui|férias|partindo|partiu|viagem|viajando
avião aterrissando|aterrissagem|chegando|pousando|veículo|voltando
paraquedas|asa-delta|paraquedista|parasail|saltar de paraquedas
assento|cadeira|poltrona
helicóptero|veículo|viagem|viajar|voo
estrada de ferro suspensa|suspensão|trem|veículo
teleférico de montanha|bonde|cabo|cabo suspenso usado em teleféricos nas montanhas|teleférico na montanha|veículo
teleférico|aérea|bonde|gôndola|linha|veículo
satélite|antena|espaço
foguete|espaço|veículo
disco voador|alienígena|et|extra|terrestre|óvni
sineta|hotel|portaria|sino
mala|bagagem|rodinhas|viagem
ampulheta|areia|tempo
ampulheta contando o tempo|areia|cheia|em cima|hora|relógio
relógio de pulso|hora|tempo
despertador|alarme|atrasada|atrasado|hora|horário|relógio
cronômetro|relógio|tempo
relógio temporizador|cronômetro|timer
relógio de mesa|relógio antigo
12 horas|12h00|doze|meia-noite|meio-dia|relógio
doze e meia|12h30|relógio
1 hora|13h|1h|1h00|relógio|uma
uma e meia|13:30|13h30|1:30|1h30|relógio
2 horas|14h|2h|2h00|duas|relógio
duas e meia|2:30|2h30|relógio
3 horas|15h|3:00|3h00|horário|relógio|três
três e meia|3:30|3h30|relógio
4 horas|4:00|4h00|horário|quatro|relógio
quatro e meia|4h30|relógio
5 horas|5h00|cinco|relógio
cinco e meia|17h30|5h30|relógio
6 horas|18h|6h00|relógio|seis
seis e meia|18h30|6h30|relógio
7 horas|19h|7h00|relógio|sete
sete e meia|7:30|7h30|relógio
8 horas|8:00|8h00|oito|relógio
oito e meia|8:30|8h30|relógio
9 horas|21h|9h00|nove|relógio
nove e meia|9:30|9h30|hora|relógio
10 horas|10h00|22h|dez|relógio
dez e meia|10h30|22h30|relógio
11 horas|11:00|11h00|onze|relógio
onze e meia|11h30|23h30|relógio
lua nova|escuro|lua negra|noite
lua crescente côncava|noite
quarto crescente|lua|lua de quarto crescente
lua crescente convexa
lua cheia|luar
lua minguante convexa
quarto minguante|lua|lua de quarto minguante
lua minguante côncava
lua crescente
rosto da lua nova|lua nova com rosto
rosto da lua de quarto crescente|noite
rosto da lua de quarto minguante|lua com rosto|quarto minguante com rosto
termômetro|clima|temperatura|tempo
sol|clima|dia claro|raios|solar|tempo
rosto da lua cheia|lua cheia com rosto|lua com rosto
rosto do sol|praia
planeta com anéis|saturnino|saturno
estrela branca média|amarela|astronomia
estrela brilhante|brilho|cintilante|luminosa|reluzente
estrela cadente|cai
via láctea|céu|espaço|estrelado
nuvem|clima
sol por trás das nuvens|clima|nublado|nuvem
chuva com trovão|clima|nuvem|relâmpago|temporal
sol com nuvens|clima|ensolarado|nublado|nuvem
nublado|clima|nuvem|sol
sol com chuva|clima|nuvem
nuvem com chuva|chovendo|clima
nuvem com neve|clima|frio
nuvem com trovão|clima|relâmpago
tornado|clima|furacão|nuvem
nevoeiro|clima|furacão|neblina|nuvem
rosto de vento|clima|nuvem|soprar|sopro
ciclone|clima|espiral|furacão|tonto|twister|zonzo
arco-íris|chuva|clima|gay|lgbt|lgbtqia+|lésbica|natureza|orgulho|queer|transgênero
guarda-chuva fechado|chuvoso
guarda-chuva|acessório|clima|sombrinha aberta
sombrinha na chuva|acessório|clima|gotas|guarda-chuva
guarda-sol|chuva|clima|praia|sombra|sombrinha
alta tensão|eletricidade|natureza|perigo|relâmpago|sinal
floco de neve|clima|frio
boneco de neve|clima|frio|inverno
boneco de neve sem neve|frio|inverno
cometa|espaço|estrela cadente|meteoro|satélite
fogo|chama
gota|com suor|engraçado|gota de suor|suor
onda|mar|oceano|praia|surfe|tsunami|água
abóbora de halloween|comemoração|dia das bruxas|jack|lanterna
árvore de natal|comemoração|pinheirinho
fogos de artifício|ano novo|comemoração
vela estrela|comemoração|fogo de artifício|fogo de artifício vela estrela
bombinha|artifício|bomba|chiando|dinamite|estourar|explosivo|faísca|fogo|luz|pirotecnia|roubada
brilhos|*|brilhantes|estrelas|faíscas|mágica
balão|aniversário|celebração|comemoração|festa|parabéns
cone de festa|alegria|aniversário|celebrar|comemoração|eba|oba|parabéns
confete|bola|celebração|comemoração|eba|oba|parabéns
árvore de tanabata|comemoração|estrelas|festival|japonesa|papel|tiras
decoração de pinhos|bambu|comemoração|decoração de pinhas|japonês|pinha
bonecas japonesas|comemoração|festival|japanesas|japonês
bandeira de carpas|comemoração|koinobori
carrilhão de vento|sino|som
contemplação da lua|cerimônia de contemplação da lua|comemoração
envelope vermelho|boa sorte|dinheiro|hóngbāo|lai see|presente
laço de fita|comemoração|presente
presente|comemoração|embrulhado|mimo
fita de lembrete|celebração|comemoração|laço
ingresso de cinema|entrada|ticket
ingresso|entretenimento
medalha militar|condecoração|prêmio
troféu|campeã|campeão|prêmio
medalha esportiva|vitória
medalha de ouro|1o. lugar|1º. lugar|vitória
medalha de prata|2o. lugar|2º. lugar|segundo
medalha de bronze|3o. lugar|3º. lugar|terceiro
bola de futebol|jogar
bola de beisebol|esportes
softbol|bola|esporte|luva|softball
bola de basquete|cesta|esporte|jogo
bola de vôlei|jogar|jogo
bola de futebol americano|esporte|super bowl
bola de rugby|americano|esporte|futebol
tênis|bola|esporte|raquete
frisbee|disco|esporte|ultimate|voador
boliche|bola|jogo|strike
críquete|betes|bola|jogo|taco
hóquei de campo|bola|jogo|taco
hóquei no gelo|disco|jogo|taco
lacrosse|bastão|bola|esporte|gol|raquete|taco
pingue-pongue|mesa|pingpong|raquete|tênis
badminton|jogo|peteca|raquete
luva de boxe|esporte|luta
quimono de artes marciais|esporte|faixa|judô|karatê|preta|taekwondo|uniforme
gol|esporte|futebol|goleira|goleiro|rede
bandeira no buraco|esporte|golfe
patins de gelo|patinação
pesca|entretenimento|peixe|pescador|pescaria|recreação|vara
máscara de mergulho|esnórquel|mergulhador|scuba|snorkel|snorkeling
camiseta de corrida|esporte|faixa
esqui|bota|esporte|esquiar|neve
trenó|neve|tobogã
pedra de curling|jogo
no alvo|certeiro|dardos|jogo|mira|mosca|tiro
ioiô|brinquedo|flutua
pipa|papagaio|planar|voar
pistola d’água|arma|ferramenta|revólver
bilhar|bola oito|jogo
bola de cristal|adivinhação|destino|futuro|prever
varinha mágica|bruxa|condão|magia|mago
videogame|controle|jogo|jogos|playstation|xbox
joystick|atari|controle|game|jogo|video|videogame
caça-níquel|aposta|azar|cassino|jogo|máquina
jogo de dado|dados|sorte
quebra-cabeça|dica|encaixe|peça
ursinho de pelúcia|bichinho|brinquedo|enchimento|urso
pinhata|cinco de maio|comemoração|doce|festa|festival
globo de espelhos|balada|boate|bola|brilho|dança|dançar|discoteca|espelhado|festa|night
boneca russa|matriosca|matrioska
naipe de espadas|baralho|carta|jogo
naipe de copas|baralho|carta|jogo|s2
naipe de ouros|baralho|carta|jogo
naipe de paus|baralho|carta|jogo
peão de xadrez|truque
curinga|baralho|carta|coringa|jogo|joker
dragão vermelho de mahjong|jogo|peça
carta de flores|baralho|carta de baralho|hanafuda|jogo de baralho
máscara|arte|ator|atriz|drama|dramática|entretenimento|espetáculo|performance|peça|teatro
quadro emoldurado|arte|museu|pintura
paleta de tintas|arte|artista|artística|museu|pintor|pintura
carretel|agulha|barbante|costura|linha
agulha de costura|alfaiataria|bordados|linha|pontos|suturas|vagonite
novelo|bola|crochê|lã|tricotar|tricô
nó|amarrar|corda|cordel|emaranhado|fio|laço|marinheiro
óculos|acessório
óculos escuros|óculos de sol
óculos de proteção|mergulho|natação|olhos|ski|solda|soldagem
jaleco|cientista|dr.|experimento|experiência|médico|roupa
colete salva-vidas|emergência|refletivo|segurança
gravata|acessório|roupa
camiseta|camisa|roupa
jeans|calça|roupa
cachecol|frio|inverno|pescoço
luvas|inverno|mão
casaco|agasalho|blusa|frio|jaqueta
meias|meião
vestido|peça única|roupa
quimono|roupa|vestir
sari|indiana|roupa|vestido|índia
maiô|banho|nadar|praia|roupa
cueca|banho|nadar|praia|roupa|sunga|íntima
shorts|banho|bermuda|nadar|praia|roupa
biquíni|banho|piscina|praia|roupa
roupas femininas|azul|blusa|camiseta
leque dobrável|abanar|arejar|balançar|calor|dança|flertar|quente|refrescar|timidez
bolsinha|acessório|bolsa|moeda|niqueleira|porta|rosa
bolsa de mão|acessório|fashion|mala
bolsa pequena|acessório|carteira|fashion
sacolas de compras|presente|shopping
mochila|bolsa|escola|viagem|viajar
chinelo|alpargatas|piscina|praia|rasteirinha|sandália
sapato masculino|acessório|sapatos
tênis de corrida|acessório|correr|esportivo|sapato
bota de trekking|acampamento|acampar|caminhada|marrom|mochilão|natureza|sapato|trilha
sapatilha|confortável|sapatilha de balé|sapato|sem fivela
sapato de salto alto|acessório|chique|fashion|moda|mulher|scarpin
sandália feminina|acessório|feminino|médio|salto
sapatilha de balé|bailarina|dança
bota feminina|acessório|calçado|médio|salto
pente de cabelo|afro|crespo|pente garfo|pentear|retrô
coroa|acessório|família real|game of thrones|medieval|rainha|realeza|rei|reinado
chapéu feminino|acessório|fashion
cartola|chapéu|chique|entretenimento|roupa
chapéu de formatura|capelo|comemoração
boné|boné de beisebol|chapéu
capacete militar|exército|guerra|guerreiro|soldado
capacacete de socorrista|ajuda|branca|capacete|cruz|primeiros|resgate|rosto|salvamento|socorros|vermelho
rosário de oração|acessório|religião|reza|terço
batom|cosméticos|makeup|maquiagem|vermelho
anel|diamante|romance
pedra preciosa|diamante|joia
alto-falante silenciado|calar|mudo|mute|quieto|silenciar|silêncio|som
alto-falante com volume baixo|mudo|música|silêncio|som
alto-falante com volume médio|baixo|diminuir|som
alto-falante com volume alto|gritar|música|som
buzina|alto|alto-falante|aviso|comunicado|discurso|gritar|megafone
megafone|aplausos|comunicação
corneta postal|correios
sino|capela
sino silenciado|mudo|notificação|proibido|quieto|sem som|silencioso|silêncio
partitura musical|música
nota musical|música
notas musicais|música
microfone de estúdio|música
controle de volume|música
botões giratórios|controle|música
microfone|cantar|entretenimento|karaokê|música
fones de ouvido|entretenimento|música|som
rádio|radiola|som|vídeo
saxofone|instrumento|instrumento musical|música
trompete|instrumento|instrumento musical|música
acordeão|concertina|instrumento|música|sanfona
guitarra|instrumento|instrumento musical|música
teclado musical|instrumento|instrumento musical|música|piano
violino|instrumento|instrumento musical|música
banjo|cordas|instrumento|música
tambor|baquetas|música|percussão
tambor comprido|atabaque|batida|conga|instrumento|percussão|ritmo
maracás|chacoalhar|chocalho|dança|festa|instrumento|maraca|maracas|mexer|música|percussão
flauta|banda|flautim|instrumento|marcial|música|orquestra|pife|pífano|sopro|tubo
telefone celular|telefone móvel
telefone celular com seta|chamada|fazer|ligar|receber|smartphone
telefone no gancho
telefone|aparelho de telefone|comunicação
pager|comunicação
fax|comunicação|máquina de fax
pilha|bateria
pouca bateria|acabando|cansado|descarregada|eletrônico|energia|fim|fraca|pilha|sem
tomada elétrica|cabo|eletricidade|energia|plugue
laptop|computador|notebook|pc|pessoal|trabalho
computador de mesa|desktop|monitor
impressora|acessório|computador|documento|impressão|imprimir
teclado|acessório|computador|digitação
mouse|acessório|computador
trackball|acessório|bolinha|computador|mouse
minidisc|computação|disco|hd|md|rígido
disquete|computador|disco|disco flexível
cd|blu-ray|computador|disco|dvd|óptico
DVD|blu-ray|cd|computador|disco|óptico
ábaco|calculadora|cálculo|matemática|número
câmera de cinema|entretenimento|filmar|filme|hollywood
rolo de filmes|cinema
projetor de filmes|cinema|vídeo
claquete|cena|entretenimento|filme|tomada
televisão|canal|tv|vídeo
câmera|foto|selfie|vídeo
câmera com flash|foto|fotografia|vídeo
câmera de vídeo|filmadora
videocassete|fita|vhs|vídeo
lupa para a esquerda|aumento|busca|ferramenta|lente|pesquisa|procura
lupa para a direita|aumento|busca|ferramenta|lente|pesquisa|procura
vela|acesa|luz
lâmpada|elétrica|ideia|luz|quadrinhos|tenho uma ideia
lanterna|elétrica|ferramenta|luz
lanterna vermelha de papel|bar|izakaya|restaurante
lâmpada de óleo|diya
caderno decorado|agenda|capa|decoração|escola|livro
livro fechado|apostila
livro aberto|biblioteca|leitura|lendo|ler|livraria
livro verde|biblioteca|caderno|colégio|escola|estudar|lendo|ler|livraria
livro azul|apostila|escola|estudo|leitura
livro laranja|apostila|cartilha
livros|biblioteca|estudando|estudar|leitura|lendo|ler|livraria
caderno|folhas
livro contábil|caderno
página dobrada|dobrado|documento|papel
pergaminho|rolo de papel
página voltada para cima|documento|oficial|papel
jornal|notícias
jornal enrolado|notícias
marcadores de página|marcar
marcador de página|livro
etiqueta|identificar|rótulo
moeda|dinheiro|dólar|euro|metal|ouro|prata|real|rica|rico|tesouro
saco de dinheiro|dólares
nota de iene|cédula|dinheiro|grana|moeda
nota de dólar|dinheiro|moeda|nota bancária
nota de euro|cédula|dinheiro|grana|moeda
nota de libra|cédula|dinheiro|grana|moeda
dinheiro voando|asas|banco|cédula|dinheiro indo embora|nota
cartão de crédito|banco|dinheiro|débito
recibo|contabilidade|escrituração|evidência|fatura|prova
gráfico subindo com iene|ascendente|ascensão|crescimento|dinheiro|iene em alta|mercado
envelope|carta|correspondência|e-mail|email
e-mail|carta|comunicação|correspondência
envelope chegando|carta|comunicação|correspondência|e-mail|nova|recebida
envelope com seta|carta|comunicação|correspondência|e-mail|email
bandeja de saída|caixa|comunicação|correspondência|enviada
bandeja de entrada|caixa|comunicação|correspondência|e-mail|email|recebida|recebido
pacote|caixa|embrulho
caixa de correio fechada com bandeira levantada|correspondência
caixa de correio fechada com bandeira abaixada|correspondência|vazia
caixa de correio aberta com bandeira levantada|caixa de correspondência aberta com bandeira levantada|correspondência
caixa de correio aberta com bandeira abaixada|caixa de correspondência aberta com bandeira abaixada|caixa de correspondência aberta e vazia|correspondência
caixa de correio|carta|correspondência|enviar
urna eleitoral com cédula|eleição|votar|voto
lápis
ponta de caneta tinteiro|preto|tinta
caneta tinteiro|destro
caneta|esferográfica|tinteiro
pincel|pintando|pintar
giz de cera|desenho|vermelho
memorando|anotações|caderno|comunicação|lápis|notas
maleta|mala|pasta
pasta de arquivos
pasta de arquivos aberta|abrir
divisores de pastas|arquivo|organizador|índice
calendário|data|datas
calendário com folhas destacáveis|data|destacável|dia|páginas|várias
bloco espiral|caderno
calendário espiral|bloco|data
índice de cartões
gráfico subindo|crescimento|diagrama|gráfico de tendência de crescimento|tendência de crescimento
gráfico caindo|diagrama|gráfico de tendência negativa|negativa|tendência negativa
gráfico de barras|diagrama
prancheta|anotações
tacha|alfinete
tacha redonda|alfinete|localização|mapa
clipe de papel
clipes de papel conectados
régua reta
régua triangular|geometria|matemática|triângulo|ângulo
tesoura|aberta|cortar|ferramenta
caixa de arquivos|cartão|documentos|ficheiro
gavetas de escritório|arquivo|gabinete
lixeira|cesto|lixo
cadeado|fechado|trancado
cadeado aberto|destrancado
cadeado com caneta|privacidade|privado|tinteiro
cadeado fechado com chave|seguro|trancado
chave|senha|trancado|trancar
chave antiga|fechadura
martelo|construção|ferramenta|martelada|reparo
machado|cortar|madeira|partir
picareta|ferramenta|mineração
martelo e picareta|ferramenta|geologia
martelo e chave-inglesa|ferramenta
adaga|arma|faca
espadas cruzadas|arma|batalha|guerra
bomba|emoção|engraçado|explosivo|explosão|perigo
bumerangue|aborígene|arma|austrália|rebote|repercussão
arco e flecha|arma|sagitário|zodíaco
escudo|arma
serrote|carpinteiro|cortar|ferramenta|madeira|serra|serrar
chave inglesa|ferramenta|obra|reforma
chave de fenda|ferramenta
porca e parafuso|construção|ferramenta
engrenagem|ferramenta
braçadeira|compressão|ferramenta|morsa|torno
balança|ferramenta|justiça|libra|peso|zodíaco
bengala para cegos|acessibilidade|cega|cegueira|deficiente|visual
link|anéis|corrente|dois|símbolo|vínculo
correntes|metal
gancho|atração para venda|bandido|curva|pegar|prender
caixa de ferramentas|mecânico|vermelha
ímã|atração|ferradura|magnético|positivo-negativo
escada|degrau|mão|subir
alambique|ferramenta|química
tubo de ensaio|ciência|experimento|experiência|laboratório|química|químico
placa de Petri|bactéria|biologia|biologista|biólogo|ciência|cultura|laboratório
dna|biologista|biólogo|código|evolução|gene|genética|genético|vida
microscópio|ciência|ferramenta|microscópico
telescópio|ciência|ferramenta
antena parabólica|comunicação|satélite
seringa|agulha|injeção|médico|remédio|vacina|vacinação
gota de sangue|doação|medicina|menstruação|sangrar
comprimido|cápsula|medicina|médico|pílula|remédio
atadura adesiva|bandaid|bandeide|curativo
muleta|ajuda|bastão|bengala|deficiência|desculpa|lesão|machucar|mobilidade
estetoscópio|coração|medicina|médica|médico|tum tum
raio x|doutor|esqueleto|médico|ossos|radiografia
porta|fechada
elevador|acessibilidade|descer|elevar|subir
espelho|espéculo|maquiagem|refletor|reflexo|reflexão
janela|abertura|ar|fresco|quadro|transparente|vidro|vista
cama|dormir|hotel|sono
sofá e luminária|hotel|lâmpada
cadeira|assento|sentar
vaso sanitário|banheiro|patente|privada|toalete
desentupidor|banheiro|cocô|encanador|fezes|sanitário|sucção|vaso
chuveiro|banho|ducha|água
banheira|banho
ratoeira|armadilha|atrair|isca|prender|queijo
lâmina|afiada|afiado|barbeador|barbear|depilar|gilete|raspar
frasco de loção|condicionador|creme|hidratante|protetor|shampoo|solar|xampu
alfinete de segurança|fralda|punk|rock
vassoura|bruxa|limpar|limpeza|varrer
cesta|agricultura|agrícola|lavanderia|lavoura|piquenique|roupa|suja
rolo de papel|higiênico|toalha
balde|baldinho|barril
sabonete|banho|barra|espuma|limpar|limpeza|saboneteira
bolhas|aquática|aquático|arroto|embaixo d’água|flutuar|limpo|pérolas|sabão|água
escova de dentes|banheiro|dental|higiene|limpeza
esponja|absorvente|absorção|encharcar|limpeza|porosa|poroso
extintor de incêndio|apagar|extinguir|fogo
carrinho de compras|mercado|supermercado
cigarro|fumante|fumar|fumo|símbolo|símbolo para “é permitido fumar”|é permitido fumar
caixão|caixão funerário|funeral|morte|velório
lápide|cemitério|descanse em paz|morto|rip|sepultura|tumba|túmulo
urna funerária|cinzas|funeral|morte
olho grego|amuleto|conta|mau-olhado|miçanga|nazar|talismã
hamsá|amuleto|fátima|guia|hamsa|maria|miriam|mão|palma|proteção|sorte
moai|estátua|moyai|rosto
placa|aviso|cartaz|demonstração|letreiro|piquete|protesto|sinal
cartão de identificação|carta|carteira|crachá|credenciais|documento|habilitação|identidade|licença|motorista|rg|segurança
símbolo de caixa automático|atm|banco|dinheiro|eletrônico|grana|saque
símbolo de lixeira|coloque o lixo no lixo|lata|lixo
água potável|beber|símbolo|torneira
símbolo de cadeira de rodas|acesso|sinal
banheiro masculino|homem|lavatório|símbolo|toalete|wc
banheiro feminino|lavabo|lavatório|mulher|símbolo|toalete|wc
banheiro|lavabo|sanitário|símbolo|toalete
símbolo de bebê|fralda|fraldário|trocar
WC|latrina|lavabo|privada|toalete|vaso sanitário
controle de passaportes
alfândega|aduana|aduaneira|bens|federal|impostos|receita
restituição de bagagem|aeroporto|bagagens|esteira|férias|mala|recolhimento|viagem|área
depósito de bagagem|esquecida|malas|serviço
aviso|atenção|cuidado|sinal
crianças atravessando|pedestre|símbolo|tráfego
entrada proibida|entre|não|placa|proibido|sinal|trânsito
proibido|entrada|não|proibida|sinal|símbolo
proibido andar de bicicleta|não|permitidas|sem
proibido fumar|cigarro|não é permitido fumar|símbolo
proibido jogar lixo no chão|não|não jogue lixo no chão|símbolo
água não potável|consumo|imprópria|proibido|seco|sem
proibida a passagem de pedestres|não|permitidos|proibido
proibido o uso de telefone celular|não|permitidos|sem|smartphone
proibido para menores de 18 anos|dezoito|idade|restrição
radioativo|perigo|radiativo|radiação|sinal|símbolo
risco biológico|ciência|perigo|resíduos|resíduos biológicos
seta para cima|cardinal|direção|norte
seta para cima e para a direita|diagonal|direção|flecha|intercardinal|nordeste|superior
seta para a direita|direção|flecha|leste
seta para baixo e para a direita|diagonal|direção|flecha|inferior|intercardinal|sudeste
seta para baixo|abaixo|cardinal|direção|embaixo|flecha|sul
seta para baixo e para a esquerda|diagonal|direção|flecha|inferior|intercardinal|sudoeste
seta para a esquerda|atrás|direção|flecha|oeste|voltar
seta para cima e para a esquerda|diagonal superior esquerda|direção|flecha|intercardinal|noroeste|seta para esquerda superior
seta para cima e para baixo|flecha|vertical
seta para esquerda e direita|flecha|horizontal|lados
seta curva da direita para a esquerda|flecha|retorno|seta curva da direita para esquerda|voltar à esquerda
seta curva da esquerda para a direita|flecha|retorno|seta curva da esquerda para direita|voltar à direita
seta para a direita curvada para cima|flecha|seta curva de baixo para cima|seta para cima
seta para a direita curvada para baixo|embaixo|flecha|seta curva de cima para baixo|seta para baixo
setas verticais no sentido horário|flechas|recarregar|setas em sentido horário na vertical|símbolo de recarregar
botão de setas em sentido anti-horário|atualizar|botão de setas no sentido anti-horário
seta "BACK"|flecha|seta para a esquerda|seta para voltar|voltar|voltar com seta para a esquerda
seta "END"|fim|fim com seta para a esquerda|final|seta para a esquerda|seta para ir para o fim
seta "ON!"|flecha|marca|seta “on”
seta "SOON"|em breve|flecha|símbolo “soon”|“soon” com seta para a direita
seta "TOP"|cima|para cima|seta para cima|símbolo top|top com seta para cima
local de culto|local sagrado|oração|religião|reza
símbolo de átomo|ateu|ateísmo|símbolo do ateísmo
om|hindu|religião
estrela de Davi|judaico|judeu|religião
roda do Dharma|budista|religião
yin yang|religião|tao|taoista|taoistas|yin-yang
cruz latina|cristão|religião
cruz ortodoxa|cristão|religião
estrela e lua crescente|islã|muçulmano|religião|símbolo islã
símbolo da paz
menorá|candelabro|candelabro judeu|castiçal|judaísmo|memorah|religião
estrela de seis pontas|adivinhação|destino
khanda|deg tegh fateh|fé|khalsa|religião|sikh|sikhismo|siquismo
signo de Áries|carneiro|zodíaco
signo de Touro|boi|zodíaco
signo de Gêmeos|zodíaco
signo de Câncer|caranguejo|zodíaco
signo de Leão|zodíaco
signo de Virgem|zodíaco
signo de Libra|balança|justiça|signo de virgem|zodíaco
signo de Escorpião|zodíaco
signo de Sagitário|arqueiro|zodíaco
signo de Capricórnio|cabra|zodíaco
signo de Aquário|zodíaco|água
signo de Peixes|zodíaco
signo de Ofiúco|cobra|ophiuchus|serpente|zodíaco
botão de músicas aleatórias|cruzadas|flechas|seta|setas|setas cruzadas em direção à direita
botão de repetir|flechas|horário|sentido horário|seta|setas|setas em sentido horário
botão de repetir uma única faixa|horário|número 1|repetir uma vez|sentido horário|seta|setas|setas em sentido horário com número 1|uma vez
botão reproduzir|direita|play|seta|seta para a direita|triângulo
botão avançar|direita|dupla|flechas|passar para a frente|rápido|seta|seta dupla para a direita
botão de próxima faixa|avançar|flechas duplas|passar para frente|próxima cena|seta|seta dupla para a direita
botão de reproduzir ou pausar|direita|pause|play|seta|seta para a direita|triângulo
botão de voltar|esquerda|seta|seta para a esquerda|triângulo
botão de retroceder|dupla|esquerda|seta|seta dupla para a esquerda|seta dupla para trás|voltar
botão de faixa anterior|cena anterior|flechas para esquerda|seta|seta dupla para a esquerda|setas para a esquerda|triângulo|voltar|última faixa
botão apontando para cima|acima|botão de triângulo apontando para cima|seta|triângulo|triângulo apontando para cima|vermelho
botão de avanço para cima|dupla|flechas para cima|seta|seta dupla para cima
botão apontando para baixo|botão de triângulo apontando para baixo|seta|triângulo|triângulo apontando para baixo|vermelho
botão de avanço para baixo|flechas|flechas para baixo|retroceder rápido|seta|seta dupla para baixo
botão pausar|barra|dupla|pausado|pause|vertical
botão parar|quadrado|stop
botão gravar|círculo
botão ejetar
cinema|entretenimento|filme|símbolo do cinema
botão de diminuir brilho|escurecer|símbolo para reduzir brilho
botão de aumentar brilho|símbolo para aumentar brilho
barras de sinal|antena|antena com barras|celular|conexão|força do sinal|internet|sinais de telefonia móvel|telefone
sem fio|banda larga|computador|conectividade|internet|ponto de acesso|rede|roteador|smartphone|wi-fi|wifi|wireless
modo vibratório|cel|celular|smartphone|telefone|vibração
telefone celular desligado|desligue o celular|smartphone
símbolo de feminino|mulher
símbolo de masculino|homem
símbolo transgênero
sinal de multiplicação|cancelar|multiplicar|x|x de multiplicação|x preto|×
símbolo de adição|+|cruz|mais|matemática|sinal|sinal de maior|sinal de mais|somar
símbolo de subtração|-|diminuir|matemática|menos|sinal|sinal de menos|travessão|−
símbolo de divisão|dividir|matemática|sinal|sinal de divisão|sinal de divisão grande|÷
sinal de igual|conta|iguais|igualdade|matemática|resposta|resultado
infinito|eternidade|ilimitado|universal
dupla exclamação|!|!!|exclamação dupla|explosão|ponto de exclamação duplo|pontuação
exclamação com interrogação|!|!?|?|pergunta|pontuação|sinal
ponto de interrogação vermelho|?|pergunta|pontuação|sinal
ponto de interrogação branco|?|delineado|pergunta|pontuação|sinal
ponto de exclamação branco|!|delineado|mark|pontuação|sinal
ponto de exclamação vermelho|!|pontuação
travessão ondulado|onda|pontuação
câmbio de moeda|banco|dinheiro
cifrão|dinheiro|dólar|grana|moeda|símbolo do dólar|símbolo do dólar em negrito
símbolo da medicina|bastão de asclépio|esculápio
símbolo de reciclagem|reclicar|sinal|símbolo de reciclagem sólido universal
flor-de-lis|cavaleiros|símbolo
emblema de tridente|ferramenta|navio|símbolo de tridente|âncora
crachá|identificação|nome
símbolo japonês de principiante|folha verde e amarela|iniciante|símbolo japonês para iniciante|verde e amarela|verde e amarelo
círculo grande oco|aro|círculo vermelho vazio|vermelho
marca de seleção branca|botão|check|completo|feito|marca de verificação|marca de verificação grande|verificado|verificação|✓
caixa de seleção marcada com tique|check|feito|marca de verificação|marca de verificação cinza|verificação|✓
marca de seleção|check|feito|marca de verificação simples|marcar|selecionar|verificação|✓
xis|cancelar|multiplicar|multiplicação|vermelho|×
botão de xis|botão com x|botão de caixa com x|marcado|multiplicar|quadrado|x em um quadrado verde|x verde|×
laço encaracolado|loop|onda|ondulado|volta
loop encaracolado duas vezes|duplo|encaradolado|onda|ondulado
sinal japonês indicando início de música|canto|símbolo japonês de canto
asterisco de oito pontas|*|estrela
estrela de oito pontas|*
faísca|*|cruz
símbolo de copyright|direitos autorais
símbolo de registrado|marca registrada|marca registrada “r”
símbolo de marca registrada|marca registrada “tm”
tecla: #
tecla: *
tecla: 0|zero
tecla: 1|um
tecla: 2|dois
tecla: 3|três
tecla: 4|quatro
tecla: 5|cinco
tecla: 6|seis
tecla: 7|sete
tecla: 8|oito
tecla: 9|nove
tecla: 10
letras latinas maiúsculas|abcd|caracteres latinos maiúsculos|digitação|inserir caracteres latinos maiúsculos|maiúsculos
letras latinas minúsculas|abcd|caracteres latinos minúsculos|digitação|latino|minúsculos
números|1234|digitação|inserir números
símbolos|digitação|inserir símbolos|〒♪&%
letras latinas|abc|alfabeto|digitação|inglês|inserir alfabeto latino|latino
botão A (tipo sanguíneo)|sangue|tipo a|tipo sanguíneo a
botão AB (tipo sanguíneo)|sangue|tipo ab|tipo sanguíneo ab
botão B (tipo sanguíneo)|sangue|tipo b|tipo sanguíneo b
botão CL|limpar|símbolo do cl
botão "COOL"|botão cool|legal|símbolo “cool”
botão "FREE"|gratuito|grátis|símbolo|símbolo “free”
informações|informação|símbolo|símbolo de informações
botão ID|identidade|símbolo|símbolo “id”
círculo com a letra M
botão "NEW"|novo|símbolo
botão NG|símbolo|símbolo “ng”
botão O (tipo sanguíneo)|sangue|tipo o|tipo sanguíneo o
botão OK|sim|símbolo “ok”
botão P|estacionamento|estacionar|garagem de carros
botão SOS|ajuda|socorro|símbolo|símbolo “sos”
botão "UP!"|para cima|símbolo|símbolo “up!”
botão VS|símbolo|símbolo “vs”|versus
botão japonês de “aqui”|"aqui"|alfabeto|botão "aqui"|katakana|koko|ココ
botão japonês de “taxa de serviço”|alfabeto|katakana|katanaka|sa|サ
botão japonês de “quantidade mensal”|alfabeto|ideograma|ideográfico|valor mensal|月
botão japonês de “não gratuito”|alfabeto|ideograma|ideográfico|有
botão japonês de “reservado”|alfabeto|ideograma|ideográfico|指
botão japonês de “barganha”|alfabeto|ideograma|ideográfico|pechincha|得
botão japonês de “desconto”|alfabeto|ideograma|ideográfico|割
botão japonês de “gratuito”|alfabeto|de graça|grátis|ideograma|ideográfico|sem custo|無
botão japonês de “proibido”|alfabeto|ideograma|ideográfico|ideográfico quadrado “proibir”|proibir|禁
botão japonês de “aceitável”|aceitar|alfabeto|chinês|ideograma|ideográfico circular “aceitar”|可
botão japonês de “aplicação”|alfabeto|aplicar|chinês|ideograma|ideográfico quadrado “aplicar”|申
botão japonês de “nota mínima”|alfabeto|chinês|ideograma|ideográfico|ideográfico quadrado “juntos”|juntos|合
botão japonês de “vago”|alfabeto|ideograma|ideográfico|vaga|vazio|空
botão japonês de “parabéns”|alfabeto|ideograma|ideográfico|ideográfico circular “parabéns”|janonês|祝
botão japonês de “segredo”|alfabeto|ideograma|ideográfico|ideográfico circular “segredo”|秘
botão japonês de “aberto para negócios”|chinês|ideograma|ideográfico quadrado “operando”|operando|営
botão japonês de “sem vagas”|alfabeto|completude|ideograma|ideográfico|ideográfico quadrado “completude”|満
círculo vermelho|bola vermelha|círculo vermelho grande|geométrico
círculo laranja
círculo amarelo
círculo verde
círculo azul|bolinha azul|círculo azul grande|geométrico
círculo roxo
círculo marrom
círculo preto|geométrico
círculo branco|geométrico
quadrado vermelho
quadrado laranja
quadrado amarelo
quadrado verde
quadrado azul|anil
quadrado roxo|púrpura
quadrado marrom
quadrado preto grande|geométrico
quadrado branco grande|geométrico
quadrado preto médio|geométrico
quadrado branco médio|geométrico
quadrado preto médio menor|geométrico
quadrado branco médio menor|geométrico
quadrado preto pequeno|geométrico
quadrado branco pequeno|geométrico
losango laranja grande|cor de laranja|diamante|diamante cor de laranja grande|diamante laranja grande|geométrico
losango azul grande|balão|diamante|diamante azul grande|geométrico
losango laranja pequeno|cor de laranja|diamante|diamante cor de laranja pequeno|diamante laranja pequeno|geométrico
losango azul pequeno|diamante|diamante azul pequeno|geométrico
triângulo vermelho para cima|geométrico|triangulo vermelho para cima|triângulo vermelho apontando para cima
triângulo vermelho para baixo|geométrico|triangulo vermelho para baixo|triângulo vermelho apontando para baixo
diamante com um ponto|cômico|dentro|diamante com ponto|formato de diamante|geométrico
botão de opção|geométrico|rádio
botão quadrado branco|botão quadrado branco e preto
botão quadrado preto|botão quadrado preto e branco|geométrico
bandeira quadriculada|chegada|corrida|esporte|vitória
bandeira triangular|informações|localização|poste|vermelha|vermelho
bandeiras cruzadas|comemoração|cruzar|japonês|japão
bandeira preta|tremulando
bandeira branca|paz|tremulando
bandeira do arco-íris|bissexual|gay|lgbt|lgbtq|lgbtqia|lésbica|orgulho|transexual|transgênero|travesti
bandeira transgênero|azul claro|branco|rosa
bandeira de pirata|caveira|osso|saque|tesouro
bandeira: Ilha de Ascensão|ac
bandeira: Andorra|ad
bandeira: Emirados Árabes Unidos|ae
bandeira: Afeganistão
bandeira: Antígua e Barbuda|ag
bandeira: Anguila|ai
bandeira: Albânia
bandeira: Armênia|am
bandeira: Angola|ao
bandeira: Antártida|aq
bandeira: Argentina
bandeira: Samoa Americana|as
bandeira: Áustria|at
bandeira: Austrália
bandeira: Aruba|aw
bandeira: Ilhas Aland|ax
bandeira: Azerbaijão
bandeira: Bósnia e Herzegovina
bandeira: Barbados|bb
bandeira: Bangladesh|bd
bandeira: Bélgica|be
bandeira: Burquina Faso|bf
bandeira: Bulgária|bg
bandeira: Barein|bh
bandeira: Burundi|bi
bandeira: Benin|bj
bandeira: São Bartolomeu|bl
bandeira: Bermudas|bm
bandeira: Brunei|bn
bandeira: Bolívia
bandeira: Países Baixos Caribenhos|bq
bandeira: Brasil
bandeira: Bahamas|bs
bandeira: Butão|bt
bandeira: Ilha Bouvet|bv
bandeira: Botsuana|bw
bandeira: Bielorrússia|by
bandeira: Belize|bz
bandeira: Canadá
bandeira: Ilhas Cocos (Keeling)|cc
bandeira: Congo - Kinshasa|cd
bandeira: República Centro-Africana|cf
bandeira: República do Congo|cg
bandeira: Suíça|ch
bandeira: Costa do Marfim|ci
bandeira: Ilhas Cook|ck
bandeira: Chile|cl
bandeira: Camarões|cm
bandeira: China|cn
bandeira: Colômbia
bandeira: Ilha de Clipperton|cp
bandeira: Costa Rica|cr
bandeira: Cuba
bandeira: Cabo Verde|cv
bandeira: Curaçao|cw
bandeira: Ilha Christmas|cx
bandeira: Chipre|cy
bandeira: Tchéquia|cz
bandeira: Alemanha
bandeira: Diego Garcia|dg
bandeira: Djibuti
bandeira: Dinamarca|dk
bandeira: Dominica|dm
bandeira: República Dominicana
bandeira: Argélia|dz
bandeira: Ceuta e Melilla|ea
bandeira: Equador|ec
bandeira: Estônia|ee
bandeira: Egito
bandeira: Saara Ocidental|eh
bandeira: Eritreia
bandeira: Espanha
bandeira: Etiópia
bandeira: União Europeia
bandeira: Finlândia
bandeira: Fiji|fj
bandeira: Ilhas Malvinas|fk
bandeira: Micronésia|fm
bandeira: Ilhas Faroé|fo
bandeira: França
bandeira: Gabão
bandeira: Reino Unido|gb
bandeira: Granada|gd
bandeira: Geórgia
bandeira: Guiana Francesa|gf
bandeira: Guernsey|gg
bandeira: Gana|gh
bandeira: Gibraltar
bandeira: Groenlândia|gl
bandeira: Gâmbia|gm
bandeira: Guiné|gn
bandeira: Guadalupe|gp
bandeira: Guiné Equatorial|gq
bandeira: Grécia
bandeira: Ilhas Geórgia do Sul e Sandwich do Sul|gs
bandeira: Guatemala|gt
bandeira: Guam
bandeira: Guiné-Bissau|gw
bandeira: Guiana|gy
bandeira: Hong Kong, RAE da China|hk
bandeira: Ilhas Heard e McDonald|hm
bandeira: Honduras|hn
bandeira: Croácia|hr
bandeira: Haiti|ht
bandeira: Hungria
bandeira: Ilhas Canárias|ic
bandeira: Indonésia|id
bandeira: Irlanda|ie
bandeira: Israel|il
bandeira: Ilha de Man|im
bandeira: Índia|in
bandeira: Território Britânico do Oceano Índico
bandeira: Iraque|iq
bandeira: Irã
bandeira: Islândia
bandeira: Itália
bandeira: Jersey
bandeira: Jamaica|jm
bandeira: Jordânia
bandeira: Japão|jp
bandeira: Quênia|ke
bandeira: Quirguistão|kg
bandeira: Camboja|kh
bandeira: Quiribati|ki
bandeira: Comores|km
bandeira: São Cristóvão e Névis|kn
bandeira: Coreia do Norte|kp
bandeira: Coreia do Sul|kr
bandeira: Kuwait|kw
bandeira: Ilhas Cayman|ky
bandeira: Cazaquistão|kz
bandeira: Laos
bandeira: Líbano|lb
bandeira: Santa Lúcia|lc
bandeira: Liechtenstein
bandeira: Sri Lanka|lk
bandeira: Libéria|lr
bandeira: Lesoto|ls
bandeira: Lituânia|lt
bandeira: Luxemburgo
bandeira: Letônia|lv
bandeira: Líbia|ly
bandeira: Marrocos
bandeira: Mônaco|mc
bandeira: Moldávia|md
bandeira: Montenegro|me
bandeira: São Martinho|mf
bandeira: Madagascar|mg
bandeira: Ilhas Marshall|mh
bandeira: Macedônia do Norte|mk
bandeira: Mali|ml
bandeira: Mianmar (Birmânia)|mm
bandeira: Mongólia|mn
bandeira: Macau, RAE da China|mo
bandeira: Ilhas Marianas do Norte|mp
bandeira: Martinica|mq
bandeira: Mauritânia|mr
bandeira: Montserrat|ms
bandeira: Malta|mt
bandeira: Maurício|mu
bandeira: Maldivas|mv
bandeira: Malaui|mw
bandeira: México|mx
bandeira: Malásia|my
bandeira: Moçambique|mz
bandeira: Namíbia
bandeira: Nova Caledônia|nc
bandeira: Níger|ne
bandeira: Ilha Norfolk|nf
bandeira: Nigéria|ng
bandeira: Nicarágua
bandeira: Países Baixos|nl
bandeira: Noruega
bandeira: Nepal|np
bandeira: Nauru|nr
bandeira: Niue|nu
bandeira: Nova Zelândia|nz
bandeira: Omã
bandeira: Panamá
bandeira: Peru
bandeira: Polinésia Francesa|pf
bandeira: Papua-Nova Guiné|pg
bandeira: Filipinas|ph
bandeira: Paquistão|pk
bandeira: Polônia|pl
bandeira: São Pedro e Miquelão|pm
bandeira: Ilhas Pitcairn|pn
bandeira: Porto Rico|pr
bandeira: Territórios palestinos|ps
bandeira: Portugal|pt
bandeira: Palau|pw
bandeira: Paraguai|py
bandeira: Catar|qa
bandeira: Reunião
bandeira: Romênia
bandeira: Sérvia|rs
bandeira: Rússia|ru
bandeira: Ruanda|rw
bandeira: Arábia Saudita
bandeira: Ilhas Salomão|sb
bandeira: Seicheles|sc
bandeira: Sudão|sd
bandeira: Suécia|se
bandeira: Singapura|sg
bandeira: Santa Helena|sh
bandeira: Eslovênia|si
bandeira: Svalbard e Jan Mayen|sj
bandeira: Eslováquia|sk
bandeira: Serra Leoa|sl
bandeira: San Marino|sm
bandeira: Senegal|sn
bandeira: Somália
bandeira: Suriname|sr
bandeira: Sudão do Sul|ss
bandeira: São Tomé e Príncipe|st
bandeira: El Salvador|sv
bandeira: Sint Maarten|sx
bandeira: Síria|sy
bandeira: Essuatíni|sz
bandeira: Tristão da Cunha|ta
bandeira: Ilhas Turcas e Caicos|tc
bandeira: Chade|td
bandeira: Territórios Franceses do Sul|tf
bandeira: Togo|tg
bandeira: Tailândia|th
bandeira: Tadjiquistão|tj
bandeira: Tokelau|tk
bandeira: Timor-Leste|tl
bandeira: Turcomenistão|tm
bandeira: Tunísia|tn
bandeira: Tonga
bandeira: Turquia|tr
bandeira: Trinidad e Tobago|tt
bandeira: Tuvalu|tv
bandeira: Taiwan|tw
bandeira: Tanzânia|tz
bandeira: Ucrânia|ua
bandeira: Uganda
bandeira: Ilhas Menores Distantes dos EUA|um
bandeira: Nações Unidas
bandeira: Estados Unidos|us
bandeira: Uruguai|uy
bandeira: Uzbequistão
bandeira: Cidade do Vaticano
bandeira: São Vicente e Granadinas|vc
bandeira: Venezuela
bandeira: Ilhas Virgens Britânicas|vg
bandeira: Ilhas Virgens Americanas
bandeira: Vietnã|vn
bandeira: Vanuatu|vu
bandeira: Wallis e Futuna|wf
bandeira: Samoa|ws
bandeira: Kosovo|xk
bandeira: Iêmen|ye
bandeira: Mayotte|yt
bandeira: África do Sul|za
bandeira: Zâmbia|zm
bandeira: Zimbábue|zw
bandeira: Inglaterra|gbeng
bandeira: Escócia|gbsct
bandeira: País de Gales|gbwls`;
