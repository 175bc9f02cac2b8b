// Written by tools/emoji.ts; changes are lost.

export const words = `cara sonriendo|divertido|feliz|sonrisa
cara sonriendo con ojos grandes|divertido|risa
cara sonriendo con ojos sonrientes|abierta|sonrisa
cara radiante con ojos sonrientes|risa|sonrisa
cara sonriendo con los ojos cerrados|abierta|boca|risa
cara sonriendo con sudor frío|risa
cara revolviéndose de la risa|carcajada|ojos cerrados
cara llorando de risa|felicidad|lágrima
cara sonriendo ligeramente|sonrisa
cara al revés
cara derritiéndose|calor|derretido|derretirse|desaparecer|fundirse|líquido
cara guiñando el ojo|guiño
cara feliz con ojos sonrientes|rubor|sonrisa
cara sonriendo con aureola|halo|sonrisa|ángel
cara sonriendo con corazones|adorar|amor|enamorada|enamorado
cara sonriendo con ojos de corazón|amor|sonrisa
cara sonriendo con estrellas|sonrisa
cara lanzando un beso
cara besando|beso
cara sonriente|contorno|relajado|sonrisa
cara besando con los ojos cerrados|beso
cara besando con ojos sonrientes|beso|sonrisa
cara sonriente con lágrima|agradecido|aliviado|emocionado|orgulloso|sonrisa
cara saboreando comida|delicioso|hambre|rico
cara sacando la lengua
cara sacando la lengua y guiñando un ojo|guiño
cara de loco|grande|ojo|pequeño
cara con ojos cerrados y lengua fuera|sabor
cara con lengua de dinero|boca
cara con manos abrazando|abrazo|sonrisa
cara con mano sobre la boca|ostras|uy|vaya
cara con ojos abiertos y boca tapada|alucinar|asombro|increíble|sorpresa|vergüenza
cara tapada con ojo espiando|espiar|fascinado|mirar|vistazo
cara pidiendo silencio|callado
cara pensativa|duda|pensando
cara saludando|ejército|orden|saludo|sol|sí|vale
cara con la boca cerrada con cremallera
cara con ceja alzada|desconfiado|escéptico
cara neutral|inexpresivo
cara sin expresión|inexpresiva|inexpresivo|inexpresión
cara sin boca|callado|silencio
cara con línea de puntos|depresivo|deprimido|desaparecer|esconderse|introvertido|invisible
cara entre las nubes|ausente|cabeza en las nubes|cara en la niebla|en las nubes
cara sonriendo con superioridad|listillo
cara de desaprobación|insatisfacción|rechazo
cara con ojos en blanco|frustración|vueltos
cara haciendo una mueca
cara exhalando|alivio|bocanada|exhalar|jadear|resoplido|silbar
cara de mentiroso|nariz|pinocho
cara temblorosa|shock|temblar|terremoto|vibrar
cara de alivio|aliviado
cara desanimada|alicaído|desanimado|pensativo
cara de sueño|dormir
cara babeando|baba
cara durmiendo|dormido|sueño|zzz
cara con mascarilla médica|enfermo|malo|máscara
cara con termómetro|enfermo|malo
cara con la cabeza vendada|dolor|herida
cara de náuseas|vomitar
cara vomitando|enfermo|malo|vomitar
cara estornudando|estornudar|estornudo|pañuelo
cara con calor|cara roja|fiebre|golpe de calor|sudor
cara con frío|cara congelada|congelado|helado
cara de grogui|atontado|entonado|intoxicado|mareado
cara mareada|mareo
cara con ojos en espiral|hipnotizado|indispuesto|mareado|mareo|problema
cabeza explotando|explosión
cara con sombrero de vaquero|vaquera
cara de fiesta|capirote|celebración|gorro|matasuegras
cara disfrazada|careta|disimulo|gafas|incógnito|nariz
cara sonriendo con gafas de sol|guay
cara de empollón|friki|friqui
cara con monóculo|aristocrático|estirado
cara de confusión|confuso
cara con boca diagonal|decepcionado|decepción|escéptico|inseguro|jo|vaya
cara preocupada|preocupación|preocupado
cara con el ceño ligeramente fruncido
cara con el ceño fruncido
cara con la boca abierta
cara estupefacta|alucinado|estupefacto|sorprendido
cara asombrada|alucinado|asombrado|pasmado
cara sonrojada|colorado|sonrojado
cara suplicante|implorar|ojos adorables|piedad|por favor
cara aguantándose las lágrimas|emocionado|emoción|llorar|orgulloso|resistir|triste
cara con el ceño fruncido y la boca abierta|ceño fruncido con boca abierta
cara angustiada|angustiado
cara asustada|asustado|miedo|miedoso
cara con ansiedad y sudor|frío
cara triste pero aliviada|aliviado|decepcionado|menos mal
cara llorando|llorar|lágrima|triste
cara llorando fuerte|llorar|lágrima|triste
cara gritando de miedo|asustado|pánico
cara de frustración|frustrado
cara desesperada|desesperación|frustración
cara decepcionada|decepcionado|decepción
cara con sudor frío
cara agotada|agotado|cansado
cara cansada|cansado
cara de bostezo|aburrido|cansado|dormido|sueño
cara resoplando|cabreo|enfado
cara cabreada|cabreo|enfadado|furia
cara enfadada|enfadado|histérico
cara con símbolos en la boca|maldecir|palabrota
cara sonriendo con cuernos|demonio|sonrisa
cara enfadada con cuernos|demonio|diablo
calavera|cara|cuento|monstruo|muerte
calavera y huesos cruzados|cara|muerte
caca con ojos|cómic|mierda|mojón
cara de payaso
demonio japonés oni|cara|cuento|cuernos|sonrisa
demonio japonés tengu|cara|cuento|fantasía|monstruo
fantasma|cara|criatura|cuento|monstruo
alienígena|cara|criatura|extraterrestre|ovni
monstruo alienígena|cara|criatura|extraterrestre|ovni
robot|cara|monstruo
gato sonriendo|cara|feliz|gato alegre|gato feliz|sonrisa
gato sonriendo con ojos sonrientes|cara|sonrisa
gato llorando de risa|cara|lágrima
gato sonriendo con ojos de corazón|cara|enamorado
gato haciendo una mueca|cara|irónico|sonrisa
gato besando|beso|cara|cariñoso
gato asustado|cara|preocupación|pánico|sorpresa
gato llorando|cara|lágrima|pena|triste
gato enfadado|cara
mono con los ojos tapados|cara|mal|prohibido
mono con los oídos tapados|cara|mal|prohibido
mono con la boca tapada|cara|mal|prohibido
carta de amor|corazón|correo
corazón con flecha|amor|emoción
corazón con lazo|emoción|san valentín
corazón brillante|amor|emoción
corazón creciente|emocionado|latido|nervioso
corazón latiendo|amor|emoción|latido
corazones giratorios|corazón
dos corazones|amantes|amor|corazón
adorno de corazón
exclamación de corazón|puntuación
corazón roto|emoción|partido
corazón en llamas|amor|fuego|lujuria|pasión
corazón vendado|bien|curarse|mejor|mejorar|recuperación|salud
corazón rojo|emoción
corazón rosa|amor|bonito|gustar
corazón naranja|emoción
corazón amarillo|emoción
corazón verde|emoción
corazón azul|emoción
corazón azul claro|celeste|cián
corazón morado|emoción
corazón marrón|emoción
corazón negro
corazón gris|pizarra|plata
corazón blanco|emoción
marca de beso|labios|romance
cien puntos|100|pleno
símbolo de enfado|cómic|enfadado
colisión|cómic
símbolo de mareo|cómic|emoción|estrella
gotas de sudor|cómic|emoción
salir corriendo|carrera|correr|cómic|humo
agujero|orificio
bocadillo de diálogo|conversación|cómic
ojo en bocadillo de texto|testigo
bocadillo de diálogo por la izquierda|burbuja|conversación
bocadillo de enfado por la derecha|cabreo|rabia
bocadillo de pensamiento|burbuja|cómic
símbolo de sueño|cómic|dormir|zzz
mano saludando|agitar|saludar|saludo
dorso de la mano|levantado
mano abierta|dedo
mano levantada|choca esos cinco
saludo vulcano|mano|spock
mano hacia la derecha
mano hacia la izquierda
mano con la palma hacia abajo|bajar|descartar|fuera|quita|rechazar
mano con la palma hacia arriba|acércate|dame|ofrecer|trae|ven
mano empujando hacia la izquierda|choca esos cinco|detener|empujar|rechazar|stop
mano empujando hacia la derecha|choca esos cinco|detener|empujar|rechazar|stop
señal de aprobación con la mano|ok
dedos juntos apuntando hacia arriba|gesto|italia|italiano|mano|sarcasmo
mano pellizcando|pellizco|poco|poquito
mano con señal de victoria
dedos cruzados|cruzar|mano|suerte
mano con dedo índice y pulgar cruzados|amor|caro|chasquido|corazón|dinero
gesto de te quiero|mano
mano haciendo el signo de cuernos|dedo|rock
mano haciendo el gesto de llamar|meñique|pulgar
dorso de mano con índice a la izquierda|dedo
dorso de mano con índice a la derecha|dedo
dorso de mano con índice hacia arriba|apuntar|dedo
dedo corazón hacia arriba|mano|peineta
dorso de mano con índice hacia abajo|apuntar|dedo
dedo índice hacia arriba|apuntar|mano
dedo índice apuntándote a ti|apuntar|tú
pulgar hacia arriba|mano|señal
pulgar hacia abajo|mano|señal
puño en alto|cerrado|mano|puñetazo
puño cerrado|puñetazo
puño hacia la izquierda
puño hacia la derecha
manos aplaudiendo|aplaudir|palmas|señal
manos levantadas celebrando|celebración|gesto|hurra
manos formando un corazón|amor
manos abiertas
palmas hacia arriba juntas|oración
apretón de manos|acuerdo
manos en oración|gracias|orar|por favor|rezar
mano escribiendo|escribir|lápiz
pintarse las uñas|cosmética|esmalte|manicura
selfi|autofoto|cámara|selfie|teléfono
bíceps flexionado|cómic|fuerte|músculo
brazo mecánico|accesibilidad|ortopedia|prótesis
pierna mecánica|accesibilidad|ortopedia|prótesis
pierna|extremidad|patada
pie|patada|pisotón
oreja|cuerpo
oreja con audífono|accesibilidad|prótesis auditiva|sordo
nariz|cuerpo
cerebro|inteligente
corazón humano|anatomía|cardiología|latido|pulso|órgano
pulmones|exhalar|inhalar|respiración|respirar|órgano
diente|dentista|molar|muela
hueso|esqueleto
ojos|cara
ojo|cuerpo
lengua|cuerpo
boca|labios
labio mordido|ansioso|incómodo|ligar|miedo|nervioso|preocupado
bebé|joven|niño
infante|crío|género|joven|neutro
niño|joven
niña|chica|joven
persona adulta|género|neutro
persona adulta rubia|rubias|rubio|rubios
hombre|adulto
persona con barba|barbas|barbudo
hombre: barba
mujer: barba
hombre: pelo pelirrojo|adulto
hombre: pelo rizado|adulto
hombre: pelo blanco|adulto
hombre: sin pelo|adulto
mujer|adulta
mujer: pelo pelirrojo|adulta
persona adulta: pelo pelirrojo|género|neutro
mujer: pelo rizado|adulta
persona adulta: pelo rizado|género|neutro
mujer: pelo blanco|adulta
persona adulta: pelo blanco|género|neutro
mujer: sin pelo|adulta
persona adulta: sin pelo|género|neutro
mujer rubia|rubiales
hombre rubio|rubiales
persona mayor|adulto|género neutro|género no especificado|maduro
anciano|hombre|mayor
anciana|mayor|mujer
persona frunciendo el ceño|fruncido|gesto
hombre frunciendo el ceño|fruncido|gesto
mujer frunciendo el ceño|fruncido|gesto
persona haciendo pucheros|gesto
hombre haciendo pucheros|gesto
mujer haciendo pucheros|gesto
persona haciendo el gesto de "no"|mano|prohibido
hombre haciendo el gesto de "no"|mano|prohibido
mujer haciendo el gesto de "no"|mano|prohibido
persona haciendo el gesto de "de acuerdo"|mano|ok|vale
hombre haciendo el gesto de "de acuerdo"|mano|ok|vale
mujer haciendo el gesto de "de acuerdo"|mano|ok|vale
persona de mostrador de información|mano
empleado de mostrador de información|hombre|mano
empleada de mostrador de información|mano|mujer
persona con la mano levantada|feliz|gesto|levantar
hombre con la mano levantada|gesto|levantar
mujer con la mano levantada|gesto|levantar
persona sorda|accesibilidad|escuchar|oído|oír|sordera
hombre sordo|sordera
mujer sorda|sordera
persona haciendo una reverencia|disculpa|gesto|perdón
hombre haciendo una reverencia|disculpa|gesto|perdón
mujer haciendo una reverencia|disculpa|gesto|perdón
persona con la mano en la frente|facepalm|incredulidad
hombre con la mano en la frente|facepalm|incredulidad
mujer con la mano en la frente|facepalm|incredulidad
persona encogida de hombros|duda|encogerse|indiferencia
hombre encogido de hombros|duda|encogerse|indiferencia
mujer encogida de hombros|duda|encogerse|indiferencia
profesional sanitario|doctor|enfermero|médico|salud|terapeuta
profesional sanitario hombre|doctor|enfermero|médico|terapeuta hombre
profesional sanitario mujer|doctora|enfermera|médica|sanitaria|terapeuta mujer
estudiante|graduado|licenciado|universitario
estudiante hombre|graduado|licenciado|universitario
estudiante mujer|graduada|licenciada|universitaria
docente|educador|enseñanza|instructor|maestro|profesor
docente hombre|educador|instructor|maestro|profesor
docente mujer|educadora|instructora|maestra|profesora
fiscal|juez|juicio|magistrado
fiscal hombre|juez|justicia|magistrado
fiscal mujer|jueza|justicia|magistrada
profesional de la agricultura|agricultor|cultivador|granjero|jardinero|labrador
profesional de la agricultura hombre|agricultor|campo|granjero|labrador
profesional de la agricultura mujer|agricultora|campo|granjera|labradora
chef|cocinero|cocinillas|guisandero|pinche
chef hombre|cocinero|pinche
chef mujer|cocinera|pinche
profesional de la mecánica|electricista|fontanero|mecánico|operario|técnico
profesional de la mecánica hombre|electricista|fontanero|mecánico|operario
profesional de la mecánica mujer|electricista|fontanera|operaria
profesional industrial|fábrica|montaje|obrero|operario|trabajador
profesional industrial hombre|fábrica|montaje|obrero|operario|trabajador
profesional industrial mujer|fábrica|montaje|obrera|operaria|trabajadora
oficinista|arquitecto|director|ejecutivo|empresa
oficinista hombre|director|ejecutivo|empresa|oficina
oficinista mujer|directora|ejecutiva|empresa|oficina
profesional de la ciencia|biólogo|científico|físico|investigador|químico
profesional de la ciencia hombre|biólogo|científico|físico|químico
profesional de la ciencia mujer|bióloga|científica|física|química
profesional de la tecnología|desarrollador|informático|programador|software|tecnólogo
profesional de la tecnología hombre|desarrollador|informático|programador|tecnólogo
profesional de la tecnología mujer|desarrolladora|informática|programadora|tecnóloga
cantante|artista|estrella|rock
cantante hombre|artista|estrella|rock
cantante mujer|artista|estrella|rock
artista|paleta|pintor|pinturas
artista hombre|paleta|pintor|pinturas
artista mujer|paleta|pintora|pinturas
piloto|avión|capitán|vuelo
piloto hombre|avión|capitán|vuelo
piloto mujer|avión|capitana|vuelo
astronauta|cohete|espacio
astronauta hombre|cohete|espacio
astronauta mujer|cohete|espacio
bombero|camión|manguera
bombero hombre|apagafuegos|camión|manguera
bombera|apagafuegos|bombera mujera|camión|manguera
agente de policía|personas
agente de policía hombre
agente de policía mujer
detective|cara|espía
detective hombre|agente|espía|investigador
detective mujer|agente|espía|investigadora
guardia|guardia real británica
guardia hombre|vigilante
guardia mujer|vigilante
ninja|furtivo|guerrero|luchador|oculto|sigilo
profesional de la construcción|casco|obrero|trabajador
profesional de la construcción hombre|albañil|obrero|trabajador
profesional de la construcción mujer|albañila|obrera|trabajadora
persona con corona|majestad|monarca|monarquía|noble|real|realeza
príncipe|corona
princesa|cuento|fantasía|hadas
persona con turbante
hombre con turbante
mujer con turbante
persona con gorro chino|gua|gua pi mao|mao
mujer con hiyab|pañuelo
persona con esmoquin|novio
hombre con esmoquin
mujer con esmoquin
persona con velo|boda|novia
hombre con velo|boda|novio
mujer con velo|boda|novia
mujer embarazada
hombre embarazado|barriga|hinchado|hinchazón|inflado|lleno
persona embarazada|barriga|embarazo|gestación|hinchazón
lactancia materna|amamantar|bebé|dar pecho|pecho
mujer alimentando a bebé|alimentar|amamantar|lactancia
hombre alimentando a bebé|alimentar|amamantar|lactancia
persona alimentando a bebé|alimentar|amamantar|lactancia
bebé ángel|cara|cuento
Papá Noel|celebración|claus|cuento|fantasía|feliz|fiestas|navidad|padre|santa
Mamá Noel|celebración|claus|cuento|fantasía|feliz|fiestas|madre|navidad|santa
Noel|celebración|claus|cuento|fantasía|feliz|fiestas|navidad|santa
personaje de superhéroe|bien|heroína|superheroína|superpoder
superhéroe|bueno|hombre|superhombre|superpoder
superheroína|bondad|héroe|mujer|superhéroe|superpoder
personaje de supervillano|mal|superpoder|supervillana|villana
supervillano|hombre|mal|malvado
supervillana|mal|malvada|mujer
persona maga|bruja|brujo|hechicera|hechicero
mago|brujo|hechicero
maga|bruja|hechicera
hada|campanilla|oberón|puck|titania
hada hombre|oberón|puck
hada mujer|campanilla|titania
vampiro|drácula|muerto viviente|no muerto
vampiro hombre|drácula|muerto viviente|no muerto
vampiresa|muerta viviente|no muerta
persona sirena|tritón
sirena hombre|tritón
sirena
elfo|mágico
elfo hombre|mágico
elfa|mujer|mágico
genio|lámpara
genio hombre|djinn|lámpara
genio mujer|lámpara
zombi|muerto viviente|no muerto
zombi hombre|caminante|muerto viviente|no muerto
zombi mujer|caminante|muerta viviente|no muerta
trol|cuento de hadas|fantasía|monstruo
persona recibiendo masaje|cara|facial|salón
hombre recibiendo masaje|cara|facial|salón
mujer recibiendo masaje|cara|facial|salón
persona cortándose el pelo|belleza|corte|peluquero
hombre cortándose el pelo|belleza|corte|peluquero
mujer cortándose el pelo|belleza|corte|peluquero
persona caminando|andar|caminar
hombre caminando|andar|caminata|marcha
mujer caminando|andar|caminata|marcha
persona de pie|levantada|levantado|levantarse
hombre de pie|levantado|levantarse
mujer de pie|levantada|levantarse
persona de rodillas|arrodillada|arrodillado|arrodillarse
hombre de rodillas|arrodillado|arrodillarse
mujer de rodillas|arrodillada|arrodillarse
persona con bastón|accesibilidad|ciego|invidente
hombre con bastón|accesibilidad|ciego|invidente
mujer con bastón|accesibilidad|ciega|invidente
persona en silla de ruedas eléctrica|accesibilidad
hombre en silla de ruedas eléctrica|accesibilidad
mujer en silla de ruedas eléctrica|accesibilidad
persona en silla de ruedas manual|accesibilidad
hombre en silla de ruedas manual|accesibilidad
mujer en silla de ruedas manual|accesibilidad
persona corriendo|carrera|deporte|maratón
hombre corriendo|carrera|correr|maratón
mujer corriendo|carrera|correr|maratón
mujer bailando|bailar
hombre bailando|bailar
persona trajeada levitando|levitar|negocios
personas con orejas de conejo|bailar|fiesta
hombres con orejas de conejo|bailar|fiesta
mujeres con orejas de conejo|bailar|fiesta
persona en una sauna|vapor
hombre en una sauna|vapor
mujer en una sauna|vapor
persona escalando|alpinista|escalador
hombre escalando|alpinista|escalador
mujer escalando|alpinista|escaladora
persona haciendo esgrima|esgrimista|espada
carrera de caballos|caballo de carreras|carreras|jinete
persona esquiando|esquiador|esquí|nieve
practicante de snowboard|nieve
persona jugando al golf|golfista|pelota
hombre jugando al golf|jugador
mujer jugando al golf|jugadora
persona haciendo surf|surfear
hombre haciendo surf|surfero|surfista
mujer haciendo surf|surfera|surfista
persona remando en un bote|barca|remo
hombre remando en un bote|barca|remo
mujer remando en un bote|barca|remo
persona nadando|nadar|natación
hombre nadando|nadar
mujer nadando|nadar
persona botando un balón|botar|pelota
hombre botando un balón|botar|pelota
mujer botando un balón|botar|pelota
persona levantando pesas|halterofilia|levantador|peso
hombre levantando pesas|halterofilia|levantador de pesas
mujer levantando pesas|halterofilia|levantadora de pesas
persona en bicicleta|ciclismo|ciclista
hombre en bicicleta|ciclismo|ciclista
mujer en bicicleta|ciclismo|ciclista
persona en bicicleta de montaña|ciclista|mountain bike
hombre en bicicleta de montaña|ciclista|mountain bike
mujer en bicicleta de montaña|ciclista|mountain bike
persona haciendo voltereta lateral|acrobacia|gimnasia|pirueta|rueda
hombre dando una voltereta lateral|deporte|gimnasia|rueda
mujer dando una voltereta lateral|deporte|gimnasia|rueda
personas luchando|luchador
hombres luchando|deporte|luchador
mujeres luchando|deporte|luchadora
persona jugando al waterpolo|waterpolista
hombre jugando al waterpolo|agua|deporte|waterpolista
mujer jugando al waterpolo|agua|deporte|waterpolista
persona jugando al balonmano|balonmanista
hombre jugando al balonmano|balonmanista|deporte
mujer jugando al balonmano|balonmanista|deporte
persona haciendo malabares|equilibrio|malabarismo|malabarista
hombre haciendo malabares|malabarismo|malabarista
mujer haciendo malabares|malabarismo|malabarista
persona en posición de loto|meditación|yoga
hombre en posición de loto|meditación|yoga
mujer en posición de loto|meditación|yoga
persona en la bañera|baño
persona en la cama|dormir|hotel
dos personas de la mano|pareja
mujeres de la mano|lesbianas|novias|pareja
mujer y hombre de la mano|hombre y mujer de la mano|novios|pareja
hombres de la mano|gays|novios|pareja
beso|personas|romance
beso: mujer y hombre|personas|romance
beso: hombre y hombre|personas|romance
beso: mujer y mujer|personas|romance
pareja enamorada|personas enamoradas
pareja enamorada: mujer y hombre|personas enamoradas
pareja enamorada: hombre y hombre|personas enamoradas
pareja enamorada: mujer y mujer|personas enamoradas
familia: hombre, mujer, niño
familia: hombre, mujer, niña
familia: hombre, mujer, niña, niño
familia: hombre, mujer, niño, niño
familia: hombre, mujer, niña, niña
familia: hombre, hombre, niño
familia: hombre, hombre, niña
familia: hombre, hombre, niña, niño
familia: hombre, hombre, niño, niño
familia: hombre, hombre, niña, niña
familia: mujer, mujer, niño
familia: mujer, mujer, niña
familia: mujer, mujer, niña, niño
familia: mujer, mujer, niño, niño
familia: mujer, mujer, niña, niña
familia: hombre y niño
familia: hombre, niño, niño
familia: hombre y niña
familia: hombre, niña, niño
familia: hombre, niña, niña
familia: mujer y niño
familia: mujer, niño, niño
familia: mujer y niña
familia: mujer, niña, niño
familia: mujer, niña, niña
cabeza parlante|cara|hablar|silueta
silueta de busto
dos siluetas de bustos
personas abrazándose|abrazo|adiós|despedida|gracias|saludo
familia
huellas de pies
cara de mono
mono|macaco|simio
gorila|primate|simio
orangután|mono|primate|simio
cara de perro|mascota
perro|cachorro|perrete|perrito
perro guía|accesibilidad|ciego|invidente|lazarillo
perro de servicio|accesibilidad|apoyo|asistencia
caniche|perrito|perro
lobo|cara
zorro|cara
mapache|astuto|curioso|ladino|maquillaje|ojeras
cara de gato|mascota
gato|gatete|minino
gato negro|mala suerte
león|cara|leo|zodiaco
cara de tigre
tigre|felino
leopardo|felino
cara de caballo
alce|animal|asta|ciervo canadiense|cuernos|mamífero|uapití
burro|animal|asno|borrico|mamífero|mula|terco
caballo|caballo de carreras|carreras de caballos|ecuestre
unicornio|cara
cebra|raya
ciervo|bambi|cervatillo
bisonte|búfalo|cíbolo
cara de vaca
buey|cabestro|tauro|zodiaco
búfalo de agua
vaca|bovino|res
cara de cerdo|gorrino
cerdo|cochino|gorrino|puerco
jabalí|cerdo salvaje
nariz de cerdo|cara|morro
carnero|aries|morueco|zodiaco
oveja|borrego|cordero|ovino
cabra|capricornio|caprino|chivo|zodiaco
dromedario|camello|desierto|joroba
camello|bactriano|desierto|dromedario|jorobas
llama|alpaca|guanaco|lana|vicuña
jirafa|manchas
elefante|paquidermo
mamut|colmillo|extinguido|lanudo
rinoceronte|paquidermo
hipopótamo|paquidermo
cara de ratón
ratón|roedor
rata|roedor
hámster|cara|mascota
cara de conejo|mascota
conejo|conejito|gazapo
ardilla
castor|roedor
erizo|espinas|púas
murciélago|vampiro
oso|cara
oso polar|blanco|ártico
koala|cara|marsupial
panda|cara|oso panda
perezoso|gandul|lento|vago
nutria|bromista|juguetón|pesca
mofeta|apestar|hedor|mal olor|peste|tufo
canguro|marsupial|saltar|salto
tejón|ratel|tejón de la miel|tejón melero
huellas de pezuñas
pavo|ave
gallina|ave|gallinácea|pollo
gallo|ave|gallina|gallinácea|pollo
pollito rompiendo el cascarón|ave|huevo|pollo
pollito|ave|pollo|polluelo
pollito de frente|ave|pollo
pájaro|ave|pajarillo
pingüino|ave
paloma|ave|paz|pájaro
águila|ave
pato|ave
cisne|ave|patito feo
búho|ave|lechuza|pájaro
dodo|ave|dronte|extinguido|mauricio|pájaro
pluma|ave|ligero|plumaje|pájaro
flamenco|extravangante|ostentoso|tropical
pavo real|ave|orgulloso|plumas
loro|ave|hablar|papagayo|pirata
ala|angelical|ave|mitología|pájaro|volar|ángel
pájaro negro|cuervo|grajo|mirlo
oca|ave|ganso|graznar|pájaro
rana|cara
cocodrilo|caimán
tortuga|galápago
lagarto|lagartija|reptil
serpiente|culebra|reptil|víbora
cara de dragón|cuento|fantasía
dragón|cuento|fantasía
saurópodo|braquiosaurio|brontosaurio|diplodocus
t-rex|tiranosaurio|tiranosaurio rex
ballena soltando un chorro|chorro de agua
ballena|cachalote|cetáceo
delfín|cetáceo
foca|león marino
pez|pececillo|pescado|piscis|zodiaco
pez tropical
pez globo
tiburón|pez
pulpo|cefalópodo|octópodo
caracola|concha|espiral
coral|arrecife|océano
medusa|invertebrado|marino|picadura|picar
cangrejo|animal|cáncer|zodiaco
bogavante|langosta|marisco|pinzas
gamba|camarón|comida|langostino|marisco
calamar|comida|molusco
ostra|buceo|perla
caracol|caracola|molusco
mariposa|bonito|insecto
bicho|gusano|insecto
hormiga|antenas|insecto
abeja|insecto|miel
escarabajo|bicho|insecto
mariquita|cochinilla|insecto
grillo|saltamontes
cucaracha|alimaña|bicho|insecto|plaga
araña|insecto
tela de araña|telaraña
escorpión|escorpio|zodiaco
mosquito|fiebre|insecto|malaria|virus
mosca|basura|bicho|mal olor|podrido
gusano|lombriz|oruga|parásito
microbio|ameba|bacteria|germen|virus
ramo de flores|bouquet
flor de cerezo
flor blanca
loto|budismo|flor|hinduismo|pureza
roseta|flor|planta
rosa|flor
flor marchita|marchitada|marchitarse
flor de hibisco
girasol|flor
flor
tulipán|flor
campanilla|boca de dragón|flor|jacinto|lavanda|lila|lupino
planta joven|plantón
planta de maceta|crecer|tiesto
árbol de hoja perenne
árbol de hoja caduca|caducifolio
palmera|árbol|árbol de palma
cactus|planta
espiga de arroz|planta
hierba|hoja|verde
trébol|planta
trébol de cuatro hojas|suerte
hoja de arce
hojas caídas
hojas revoloteando al viento|revolotear|soplar
nido vacío|anidación|anidamiento|anidar
nido con huevos|anidación|anidamiento|anidar
champiñón|hongo|seta
uvas|agracejo|fruta|racimo
melón|fruta
sandía|fruta
mandarina|fruta|naranja
limón|citrón|cítrico|fruta
plátano|banana|fruta
piña|ananás|fruta
mango|fruta|tropical
manzana roja|fruta|poma
manzana verde|fruta|poma
pera|fruta|perilla
melocotón|durazno|fruta
cerezas|fruta|guindas
fresa|fresón|fruta
arándanos|azul|baya|frutos del bosque|mirtilo
kiwi|comida|fruta
tomate|ensalada|fruta|verdura
aceituna|aperitivo|comida|oliva
coco|palmera|piña colada
aguacate|comida|fruta
berenjena|fruto|verdura
patata|comida|papa|verdura
zanahoria|comida|verdura
espiga de maíz|mazorca|mijo
chile picante|planta
pimiento|ají|chile|morrón|rojo|verdura
pepino|comida|pepinillo|verdura
verdura de hoja verde|bok choy|col|kale|lechuga|pak choi
brócoli|repollo
ajo|condimento|vampiro
cebolla|condimento|llorar
cacahuetes|comida|fruto seco|verdura
alubias|comida|habichuela roja|habichuelas|judía roja|judías|legumbre
castaña|castaño|fruto seco
raíz de jengibre|cerveza|especia|garganta
vaina|edamame|guisante|judías|legumbre|soja|verdura
pan de molde|rebanada|tostada
cruasán|bollo|comida|croissant|francés
baguete|baguette|barra|comida|francés|pan
pan sin levadura|arepa|naan|pita|tortilla
bretzel|galleta salada|pretzel
bagel|bocadillo|pan|panadería
tortitas|comida|dulce|pancakes|postre
gofre|waffle
cuña de queso|trozo
carne con hueso|restaurante
muslo de pollo|restaurante
corte de carne|chuleta|filete
beicon|bacon|carne|comida|panceta
hamburguesa|burger
patatas fritas|papas fritas|restaurante
pizza|porción|restaurante
perrito caliente|salchicha
sándwich|bocadillo|bocata|emparedado
taco|comida|mexicano
burrito|comida|mexicano|tex mex|wrap
tamal|mejicano|mexicano|wrap
pan relleno|comida|durum|falafel|kebab|pan de pita
falafel|albóndiga|garbanzo
huevo|comida
cocinar|freír|huevo|sartén
paella|arroz|comida
olla de comida|comida de olla|puchero|restaurante
fondue|chocolate|olla|queso|suizo
cuenco con cuchara|cereal|desayuno
ensalada|bol|comida|verde
palomitas|maíz
mantequilla|lácteo
sal|condimento|salero
comida enlatada|conserva
caja de bento|comida|restaurante
galleta de arroz
bola de arroz|japonés|onigiri|restaurante
arroz cocido|restaurante
arroz con curry|restaurante
tazón de fideos|fideos calientes|fideos chinos|fideos ramen|ramen
espagueti|pasta|restaurante
patata asada|papa asada|restaurante
brocheta|japonés|marisco|oden|pincho
sushi|restaurante
gamba frita|frito|restaurante
pastel de pescado japonés|comida japonesa
pastel de luna|festival|otoño|yuebing
dango|japonés|pincho|postre|restaurante
dumpling|comida|gyōza|jiaozi|masa
galleta de la fortuna|adivinación|profecía|superstición
caja para llevar|recipiente para llevar|restaurante
cucurucho de helado|dulce|helado de cucurucho|restaurante
granizado hawaiano|helado|hielo|postre|raspado
helado|postre|sorbete
dónut|berlina|pastel|rosquilla
galleta|dulce|pasta|postre
tarta de cumpleaños|celebración
trozo de tarta|pedazo de tarta|restaurante
magdalena|cupcake|dulce|repostería
pastel|masa|relleno
tableta de chocolate|barra|restaurante
caramelo|chuche|chuchería|dulce|golosina
piruleta|chuche|chuchería|dulce|golosina
flan|dulce|postre|pudding
tarro de miel|dulce
biberón|bebé|bibi|botella|leche
vaso de leche|bebida
bebida caliente|café|té
tetera|bebida|infusión|té
tazón de té|bebida|taza
sake|bar|bebida|botella|restaurante|tazón
botella descorchada|bar|beber|cava|corcho
copa de vino|bar|bebida|vaso
copa de cóctel|bar|restaurante
bebida tropical|bar|restaurante
jarra de cerveza|bar|restaurante
jarras de cerveza brindando|bar|restaurante
copas brindando|bebida|brindar|brindis|celebración
vaso de whisky|chupito|copa|licor
líquido derramándose|bebida|derramar|vacío|vaso|verter
vaso con pajita|refresco|zumo
té de burbujas|boba|bubble tea|leche|perla
tetrabrik|brick|cartón|envase|zumo
mate|bebida|infusión
cubito de hielo|frío|iceberg
palillos|cubiertos|hashi
cuchillo y tenedor con un plato|restaurante
tenedor y cuchillo|restaurante
cuchara|cubiertos|cucharilla
cuchillo de cocina|arma|cocinar
tarro|almacenar|condimento|frasco|recipiente|salsa|vacío
ánfora|acuario|beber|jarra|zodiaco
globo terráqueo mostrando Europa y África|mundo|planeta|tierra
globo terráqueo mostrando América|mundo|planeta|tierra
globo terráqueo mostrando Asia y Australia|mundo|planeta|tierra
globo terráqueo con meridianos|mundo|tierra
mapa mundial|mapamundi|mundo
mapa de Japón
brújula|compás|magnético|navegación|orientación
montaña con nieve|frío
montaña|monte
volcán|erupción|erupción volcánica
monte Fuji|montaña|naturaleza
camping|acampada|campamento|vacaciones
playa y sombrilla
desierto|arena
isla desierta
parque nacional
estadio
edificio clásico
construcción|edificio|obra
ladrillo|arcilla|cemento|muro|pared
piedra|pedrusco|peña|peñasco|roca
madera|hoguera|leña|madero|palos|tronco
cabaña|casa|yurta
casas|edificio|urbanización
casa abandonada|deshabitada|inhabitada|vacía
casa|vivienda
casa con jardín|construcción|vivienda
edificio de oficinas|construcción
oficina de correos japonesa|edificio|japón
oficina de correos europea|edificio|europa
hospital|doctor|edificio|medicina|médico
banco|banca|edificio
hotel|alojamiento|edificio|turismo
hotel del amor|edificio
tienda 24 horas|edificio|establecimiento|tienda de comestibles
colegio|edificio|escuela
grandes almacenes|comercio
fábrica|edificio|industria
castillo japonés|construcción
castillo europeo|construcción
iglesia celebrando boda|romance
Torre de Tokio
Estatua de la Libertad|nueva|ny|nyc|york
iglesia|cristianismo|cruz|edificio|religión
mezquita|islam|religión
templo hindú
sinagoga|judaísmo|religión
santuario sintoísta|japón|religión|sintoísmo
Kaaba|hach|islam|musulmán|religión|umrah
fuente
tienda de campaña|camping|vacaciones
bruma|niebla
noche estrellada|estrellas
paisaje urbano|ciudad|edificio
amanecer sobre montañas|salida|sol
amanecer|salida del sol
ciudad al atardecer|edificios|paisaje
puesta del sol|edificios
puente de noche
aguas termales|termas|vapor
caballo de tiovivo|entretenimiento
tobogán|jugar|parque|parque de atracciones
noria de feria|atracciones|entretenimiento
montaña rusa|atracciones|entretenimiento|feria|parque
poste de barbero|barbería|peluquero
carpa de circo|entretenimiento
locomotora de vapor|tren|vehículo
vagón|ferrocarril|tranvía|tren eléctrico|vehículo
tren de alta velocidad|ave|ferrocarril|rápido
tren bala|shinkansen|vehículo|velocidad
tren|ferrocarril|vehículo
metro|subterráneo|suburbano|transporte
tren ligero|ferrocarril|transporte
estación de tren
tranvía|transporte|trolebús
monorraíl|ferrocarril|monocarril|transporte|tren
ferrocarril de montaña|vehículo
vagón de tranvía|vehículo
autobús|bus|transporte
autobús próximo|vehículo
trolebús|transporte|tranvía
minibús|autobús|bus|transporte
ambulancia|asistencia médica|transporte|vehículo
coche de bomberos|camión|camión de bomberos|fuego|vehículo
coche de policía|coche patrulla|vehículo
coche de policía próximo|coche patrulla|vehículo
taxi|coche|vehículo
taxi próximo|vehículo
coche|automóvil|vehículo
coche próximo|automóvil|vehículo
vehículo deportivo utilitario|camping|caravana|furgoneta|vacaciones
camioneta|pickup|ranchera
camión de reparto|mercancías|transporte|vehículo
camión articulado|tráiler|vehículo
tractor|agricultura|vehículo
coche de carreras
moto|carreras|motocicleta|vehículo
scooter|escúter|moto
silla de ruedas manual|accesibilidad
silla de ruedas eléctrica|accesibilidad
mototaxi|rickshaw|tuk tuk
bicicleta|vehículo
patinete
monopatín|skateboard|tabla
patines|patín|patín de 4 ruedas|patín de cuatro ruedas
parada de autobús
autopista|carretera
vía de tren
barril de petróleo|bidón
surtidor de gasolina|bomba de gasolina|combustible
rueda|círculo|girar|neumático|rodar
luces de policía|coche de policía
semáforo horizontal|luz|señales de tráfico|tráfico
semáforo|luz|semáforo vertical|señales de tráfico|tráfico
señal de stop|octágono|parada
obras|construcción|señal|señal de obras
ancla|barco|gancho
salvavidas|flotador|rescate|seguridad|socorrista
velero|barco|barco de vela|yate
canoa|barca|barco|piragua
lancha motora|barco|vehículo
barco de pasajeros|vehículo
ferri|barco|ferry
barco a motor|vehículo
barco|vehículo
avión|aeroplano
avioneta|avión
avión despegando|aeroplano|salida
avión aterrizando|aeroplano|llegada
paracaídas|ala delta|paracaidismo|paravela|volar
asiento de transporte|plaza|silla
helicóptero|aspas|rotores|vehículo|volar
ferrocarril de suspensión|vehículo
teleférico de montaña|cable|funicular|vehículo
teleférico|aéreo|tranvía|vehículo
satélite|espacio|vehículo
cohete|espacio|vehículo
platillo volante|ovni
timbre de hotel|botones|campanilla
equipaje|maleta|viajar
reloj de arena sin tiempo|temporizador
reloj de arena con tiempo|reloj con arena cayendo|temporizador
reloj
reloj despertador|alarma
cronómetro|reloj
temporizador|reloj
reloj de sobremesa
12 en punto|12:00|doce|reloj
doce y media|12:30|reloj
1 en punto|1:00|reloj|una
una y media|1:30|reloj
2 en punto|2:00|dos|reloj
dos y media|2:30|reloj
3 en punto|3:00|reloj|tres
tres y media|3:30|reloj
4 en punto|4:00|cuatro|reloj
cuatro y media|4:30|reloj
5 en punto|5:00|cinco|reloj
cinco y media|5:30|reloj
6 en punto|6:00|reloj|seis
seis y media|6:30|reloj
7 en punto|7:00|reloj|siete
siete y media|7:30|reloj
8 en punto|8:00|ocho|reloj
ocho y media|8:30|reloj
9 en punto|9:00|nueve|reloj
nueve y media|9:30|reloj
10 en punto|10:00|diez|reloj
diez y media|10:30|reloj
11 en punto|11:00|once|reloj
once y media|11:30|reloj
luna nueva|oscuridad
luna creciente|cuarto|espacio
luna en cuarto creciente|espacio
luna gibosa creciente
luna llena|plenilunio
luna gibosa menguante
luna en cuarto menguante
luna menguante
luna|creciente|espacio
luna nueva con cara|espacio
luna de cuarto creciente con cara|espacio
luna de cuarto menguante con cara|creciente|espacio
termómetro|temperatura
sol|espacio|rayos|soleado
luna llena con cara
sol con cara|brillante
planeta con anillos|saturnino|saturno
estrella|estelar
estrella brillante|resplandeciente
estrella fugaz|lluvia
Vía Láctea|espacio|galaxia
nube|tiempo
sol detrás de una nube|sol con nubes
nube con rayo y lluvia|trueno
sol detrás de una nube pequeña
sol detrás de una nube grande
sol detrás de una nube con lluvia
nube con lluvia
nube con nieve|frío
nube con rayo
tornado|nube|torbellino
niebla|nube
cara de viento|nube|soplar
ciclón|mareo|tifón|tornado
arcoíris|colores|lluvia
paraguas cerrado|accesorios|lluvia
paraguas|lluvia|paraguas abierto
paraguas con gotas de lluvia
sombrilla en la arena|sol
alto voltaje|electricidad|peligro|peligro de alto voltaje|señal de alto voltaje
copo de nieve|frío
muñeco de nieve con nieve
muñeco de nieve|muñeco de nieve sin nieve
meteorito|cometa|espacio
fuego|llama
gota|agua|cómic|sudor
ola de mar|océano
calabaza de Halloween|celebración|linterna
árbol de Navidad|abeto de navidad|celebración
fuegos artificiales|celebración
bengala|celebración|fuegos artificiales
petardo|dinamita|explosivo|fuegos artificiales
chispas|*|bengala|estrellas
globo|celebración
cañón de confeti|celebración|fiesta
bola de confeti|celebración
árbol de tanabata|celebración|festividad
decoración de pino|año nuevo japonés|bambú|celebración|kadomatsu
muñecas japonesas|celebración|festival|hinamatsuri
banderín de carpas|celebración|koinobori
campanilla de viento|furin
ceremonia de contemplación de la luna|celebración|tsukimi
sobre rojo|buena suerte|hóngbāo|lai see|regalo
lazo|celebración
regalo|celebración|envoltorio|presente|regalo envuelto
lazo conmemorativo
entradas|acceso|admisión|evento
tique|acceso|admisión
medalla militar|celebración
trofeo|premio
medalla deportiva|premio
medalla de oro|primero
medalla de plata|segundo
medalla de bronce|tercero
balón de fútbol
béisbol|balón|baseball|pelota
pelota de softball|bola
balón de baloncesto|canasta|deporte
pelota de voleibol|balón|juego
balón de fútbol americano|deporte
balón de rugby|deporte
pelota de tenis|deporte
disco volador|frisbee
bolos|bola|bola de bolos|juego
críquet|juego|pelota
hockey sobre hierba|juego|palo|pelota
hockey sobre hielo|disco|palo
lacrosse|bola|palo|pelota|raqueta
tenis de mesa|juego|pelota|ping pong
bádminton|pluma|raqueta|volante
guante de boxeo|deporte
uniforme de artes marciales|judo|kárate|taekwondo
portería|deporte|red
banderín en hoyo|golf
patín de hielo
caña de pescar|entretenimiento|esparcimiento|pez
máscara de buceo|bucear|buzo|esnórquel|tubo
camiseta sin mangas|banda|camiseta con banda|camiseta de correr|deporte
esquís|esquíes|nieve
trineo
piedra de curling|juego|roca
diana|blanco|en el blanco|juego
yoyó|dieta|efecto|fluctuar|juguete
cometa|juguete|planear|viento|volar
pistola de agua|juguete|verano
bola negra de billar|8|bola ocho|juego
bola de cristal|adivinación|buena fortuna
varita mágica|bruja|hechicero|magia|mago|prestidigitación
mando de videoconsola|juego|videojuego
joystick|juego|mando|palanca|videojuego
máquina tragaperras|juego
dado|juego
pieza de puzle|conectar|pista|rompecabezas
osito de peluche|juguete|oso
piñata|caballito|celebración|fiesta
bola de espejos|bailar|brillar|disco|discoteca|fiesta
muñeca rusa|babushka|mamushka|matrioska|rusia
palo de picas|carta|juego
palo de corazones|carta|juego
palo de diamantes|carta|juego
palo de tréboles|carta|juego
peón de ajedrez
comodín|joker
dragón rojo de mahjong|juego
cartas de flores|hanafuda|naipe japonés
máscaras de teatro|actuación|arte|artes escénicas|entretenimiento
cuadro enmarcado|marco|museo
paleta de pintor|arte|artista|pintura
hilo|aguja|carrete|coser|costura
aguja de coser|bordado|hilar|punto|tejer
ovillo|bola|croché|punto|tejer
nudo|anudar|atar|enredar|trenzar
gafas|accesorios|ojo|ropa
gafas de sol|ojo|oscuras
gafas de protección|nadar|protección ocular|soldar
bata de laboratorio|científico|doctor|experimento|médico
chaleco de seguridad|emergencia
corbata|accesorio|ropa
camiseta|ropa
vaqueros|pantalones|ropa
bufanda|abrigo|cuello
guantes|mano
abrigo|chaquetón
calcetines|pies|ropa
vestido|mujer|ropa
kimono|japonés|ropa
sari|prenda|ropa|vestido
traje de baño de una pieza|bañador
ropa interior|bañador|bragas|braguitas|calzoncillos|slip
pantalones cortos|bañador|bermudas|calzoncillos|ropa interior|shorts
bikini|baño|playa|ropa
ropa de mujer|blusa|camisa|femenina
abanico abierto|airear|bailar|calor|feria|flamenco
monedero|accesorios|cartera|complementos
bolso|accesorios|complementos
bolso de mano|accesorios|cartera|complementos
bolsas de compras
mochila escolar|colegio
chancla|chancla de dedo|chancleta|chinela|sandalia
zapato de hombre|calzado|ropa
zapatilla deportiva|calzado|correr|ropa|tenis
bota de senderismo|camping|mochilero
bailarina|calzado|zapato
zapato de tacón|mujer
sandalia de mujer|calzado|ropa
zapatillas de ballet|bailar|balé|danza
bota de mujer|calzado|ropa
peineta|afro|pelo
corona|accesorios|complementos|reina|rey
sombrero de mujer|accesorio|ropa
sombrero de copa|chistera|ropa
birrete|celebración|gorro|graduación
gorra con visera|béisbol
casco militar|ejército|guerra|guerrero|soldado
casco con una cruz blanca|ayuda|cara
rosario|collar|cuentas|religión
pintalabios|barra|cosmética|maquillaje
anillo|diamante
piedra preciosa|diamante|gema|joya
altavoz silenciado|altavoz con marca de cancelación|mute|silencio
altavoz a volumen bajo
altavoz a volumen medio|altavoz con volumen medio
altavoz a volumen alto
altavoz de mano|comunicación
megáfono|comunicación
corneta de posta
campana
campana con signo de cancelación|ruido
pentagrama|música|partitura
nota musical|música
notas musicales|música
micrófono de estudio|música
control de volumen|fader
ruedas de control|diales|música|potenciómetros
micrófono|entretenimiento|karaoke|micro
auricular|cascos
radio
saxofón|instrumento|instrumento musical|música
trompeta|instrumento|instrumento musical|música
acordeón|concertina
guitarra|instrumento|instrumento musical|música
teclado musical|instrumento|instrumento musical|música|piano
violín|instrumento|instrumento musical|música
banjo|banyo|cuerda|instrumento|música
tambor|baquetas|música
tamboril|conga|ritmo
maracas|agitar|brasil|instrumento|movimiento|música|percusión
flauta|flautín|instrumento|instrumento de viento madera|música
teléfono móvil|celular
móvil con una flecha|llamada|recibir|teléfono
teléfono
auricular de teléfono|comunicación
busca|comunicación|localizador
máquina de fax|comunicación
pila|batería
batería baja|carga baja|electrónico|energía baja|pila
enchufe eléctrico|corriente|electricidad
ordenador portátil|pc|personal
ordenador de sobremesa
impresora|ordenador
teclado|ordenador
ratón de ordenador
bola de desplazamiento|ordenador|trackball
minidisc|disco|md
disquete|disco|disco de 3 1/2
disco óptico|cd
disco DVD
ábaco|contar|cálculo|matemáticas
cámara de cine|entretenimiento|película
fotograma de película|cine
proyector de cine|película
claqueta|cine|claqueta de cine|entretenimiento|película
televisión|tv
cámara de fotos
cámara con flash
videocámara|vídeo
cinta de vídeo
lupa orientada hacia la izquierda|buscar
lupa orientada hacia la derecha|buscar
vela|luz
bombilla|cómic|electricidad|idea|luz
linterna|luz
lámpara japonesa|izakaya|linterna izakaya|linterna japonesa|lámpara roja|restaurante
lámpara de aceite|diya
cuaderno con tapa decorativa|decoración
libro cerrado
libro abierto
libro verde
libro azul
libro naranja
libros
cuaderno|libreta
libro de contabilidad|cuaderno
página doblada|documento
pergamino|pergamino de papel
página hacia arriba|anverso|documento
periódico|diario
periódico enrollado|noticias|papel
marcadores|pestañas
marcapáginas|marcador
etiqueta
moneda|dinero|metal|oro|plata|tesoro
bolsa de dinero|bolsa de dólares
billete de yen|billete de banco|dinero
billete de dólar|billete de banco|dinero
billete de euro|billete de banco|dinero
billete de libra|billete de banco|dinero
billete con alas|billete de banco|dinero|dinero con alas
tarjeta de crédito
recibo|contabilidad|prueba|teneduría de libros|testimonio
mercado al alza|mercado alcista|tabla
sobre|carta|correo
correo electrónico|comunicación|sobre
sobre entrante|carta|comunicación|correo|correo electrónico
sobre con flecha|carta|comunicación|correo|correo electrónico
bandeja de salida|comunicación|correo|enviado
bandeja de entrada|comunicación|correo|recibido
paquete|caja
buzón cerrado con la bandera levantada|con contenido
buzón cerrado con la bandera bajada|vacío
buzón abierto con la bandera levantada|con contenido
buzón abierto con la bandera bajada|vacío
buzón|cartas|correo
urna con papeleta|voto
lápiz|escolar|escribir|lapicero
pluma negra|bolígrafo|escribir|tinta
estilográfica|bolígrafo|escribir|pluma|tinta
bolígrafo|boli|escribir
pincel|pintar
lápiz de cera
cuaderno de notas|comunicación
maletín|cartera|documentos
carpeta de archivos
carpeta de archivos abierta
separador de fichas|fichero
calendario|fecha
calendario recortable|fecha
bloc de notas de espiral|cuaderno
calendario de espiral
organizador de fichas|cartera|tarjetas
gráfica de evolución ascendente|gráfico|tendencia ascendente
gráfica de evolución descendente|gráfico|tendencia descendente
gráfico de barras
portapapeles|pinza|tabla
chincheta|tachuela
chincheta redonda
clip
clips unidos|unión
regla
escuadra|regla|regla triangular|triángulo
tijeras|cortar|herramienta
archivador de tarjetas|archivo|caja
archivador|archivos|oficina|organizador
papelera|basura|cubo
candado cerrado|cerrar
candado abierto|abrir
candado con pluma estilográfica|cerrado|privacidad
candado cerrado y llave|seguro
llave|contraseña
llave antigua
martillo|herramienta
hacha|cortar|dividir|hachuela|madera|talar
pico|herramienta|mina
martillo y pico|herramienta
martillo y llave inglesa|herramienta
puñal|arma|cuchillo|daga
espadas cruzadas|arma
bomba|cómic|emoción
bumerán|boomerang|rebotar
arco y flecha|arquero|sagitario|zodiaco
escudo|defensa
sierra de carpintería|carpintero|herramienta|talar
llave inglesa|herramienta
destornillador|atornillador|herramienta|tornillo
tornillo y tuerca|herramienta
engranaje|herramienta
tornillo de banco|herramienta
balanza|justicia|libra|peso|zodiaco
bastón|accesibilidad|ceguera|ciega|ciego|invidente
eslabón
cadenas
gancho|agarrar|anzuelo|atrapar|garfio
caja de herramientas|armario|mecánico
imán|atracción|herradura|magnético
escalera|escalar|escalerilla|escalón|peldaño
alambique|herramienta|química
tubo de ensayo|ciencia|experimento|laboratorio|química|químico
placa de petri|bacterias|biología|biólogo|cultivo|laboratorio
adn|biólogo|evolución|gen|genética|vida
microscopio|instrumento|laboratorio
telescopio|astronomía|instrumento
antena de satélite|comunicación
jeringuilla|aguja|jeringa|medicina|médico
gota de sangre|donación de sangre|donar sangre|herida|medicina
píldora|comprimido|medicina|médico|pastilla
tirita|apósito
muleta|ayuda para la movilidad|bastón|discapacidad|lesión|palo
estetoscopio|corazón|doctor|fonendoscopio|latido|medicina|médico
radiografía|doctor|doctora|esqueleto|huesos|médico|rayos
puerta
ascensor|accesibilidad|elevador|montacargas
espejo|espéculo|reflector|reflejo
ventana|abertura|apertura|cristal|marco|transparente|vista
cama|dormir|hotel
sofá y lámpara|hotel
silla|asiento|sentarse
inodoro|baño|váter|wc
desatascador|fontanero|retrete|servicio|succión
ducha|agua|baño
bañera|baño
trampa de ratones|cebo|cepo|engañar|ratonera|ratón
cuchilla de afeitar|afeitado|afilado|barbero|navaja
bote de crema|champú|hidratante|protector solar
imperdible|pañal|punk rock
escoba|barrer|bruja|fregar
cesta|colada|cosecha|pícnic
rollo de papel|papel absorbente|papel higiénico
cubo|balde|barreño|cuba|cubeta
jabón|bañarse|enjabonarse|jabonera|lavarse|pastilla
burbujas|bajo el agua|eructar|jabón|limpiar
cepillo de dientes|dental|higiene|limpio|servicio
esponja|absorbente|limpiar|poroso
extintor|apagar|extinguir|incendio
carrito de la compra|carro|supermercado
cigarrillo|cigarro|fumar
ataúd|muerte
lápida|cementario|estela|sepulcro|tumba
urna funeraria|muerte
ojo turco|amuleto|mal de ojo|nazar|talismán
hamsa|amuleto|fátima|jamsa|mano|maría|miriam
estatua moái|pascua
letrero|anuncio|aviso|cartel|pancarta|poste
carné de identidad|carné de conducir|credenciales|identificación|permiso|seguridad
señal de cajero automático|atm|banco
señal de usar papelera|basura|tirar la basura en la papelera
agua potable
símbolo de silla de ruedas|acceso|señal
aseo para hombres|aseo de caballeros|baño|servicio|señal|señal con un hombre
señal de aseo para mujeres|aseo de señoras|baño|servicio|señal con una mujer
señal de aseos|servicios|wc
señal de bebé|cambiar|lactancia
aseos|lavabo|servicios|wc
control de pasaportes
aduana
recogida de equipajes|maleta
consigna|depósito|equipaje|servicio de equipaje en depósito
advertencia|cuidado|señal
niños cruzando|señal
dirección prohibida|no|prohibido|señal|señal de dirección prohibida
prohibido|entrar|no|pasar|prohibición
bicicletas prohibidas|prohibido|vehículo
prohibido fumar|no|señal
prohibido tirar basura|señal|señal de no tirar basura
agua no potable
prohibido el paso de peatones|peatón|señal
prohibido el uso de móviles|no hacer llamadas|teléfono
prohibido para menos de 18 años|no apto para menores|prohibido para menores de 18 años
radiactivo|radiactividad|radioactividad|radioactivo|señal
riesgo biológico|peligro|señal
flecha hacia arriba|dirección|flecha arriba|norte
flecha hacia la esquina superior derecha|arriba|dirección|noreste
flecha hacia la derecha|dirección|este
flecha hacia la esquina inferior derecha|abajo|dirección|sudeste
flecha hacia abajo|dirección|sur
flecha hacia la esquina inferior izquierda|abajo|dirección|suroeste
flecha hacia la izquierda|oeste
flecha hacia la esquina superior izquierda|arriba|dirección|noroeste
flecha arriba y abajo|dirección
flecha izquierda y derecha|dirección
flecha derecha curvándose a la izquierda|curva|dirección
flecha izquierda curvándose a la derecha|curva|dirección
flecha derecha curvándose hacia arriba|curva|dirección
flecha derecha curvándose hacia abajo|curva|dirección
flechas verticales en sentido horario|flechas verticales sentido horario|señal de recarga
flechas en sentido antihorario|dirección|señal de recarga
flecha BACK|atrás|atrás con flecha izquierda|flecha a la izquierda
flecha END|final|final con flecha izquierda|flecha a la izquierda
flecha ON!|flecha de doble punta con la palabra "on" encima|señal
flecha SOON|soon con flecha a la derecha
flecha TOP|arriba|flecha hacia arriba|top con flecha hacia arriba
lugar de culto|religión
símbolo de átomo
om|hindú|religión
estrella de David|judaísmo|judío|religión
rueda del dharma|budismo|religión
yin yang|religión|taoísmo
cruz latina|cristianismo|religión
cruz ortodoxa|religión
media luna y estrella|islam|religión
símbolo de la paz
menorá|candelabro|religión
estrella de seis puntas|adivinación|buena fortuna
khanda|religión|sij|sijismo|sikh
Aries|carnero|horóscopo|zodiaco
Tauro|buey|horóscopo|toro|zodiaco
Géminis|gemelos|horóscopo|zodiaco
Cáncer|cangrejo|horóscopo|zodiaco
Leo|horóscopo|león|zodiaco
Virgo|horóscopo|zodiaco
Libra|balanza|escala|horóscopo|justicia|zodiaco
Escorpio|escorpión|horóscopo|zodiaco
Sagitario|arquero|horóscopo|zodiaco
Capricornio|cabra|horóscopo|zodiaco
Acuario|agua|horóscopo|zodiaco
Piscis|horóscopo|pescado|pez|zodiaco
Ofiuco|horóscopo|portador|serpiente|zodiaco
reproducción aleatoria|cruzado|flechas|flechas entrecruzadas
repetir|flechas|repetición
repetir una vez|flechas|repetición|uno
reproducir|botón de reproducción|flecha|triángulo
avance rápido|avanzar|doble|flecha
pista siguiente|raya vertical|triángulos
reproducir o pausa|triángulo
retroceso|izquierda|triángulo
retroceso rápido|flecha|flecha doble a la izquierda|izquierda|rebobinado|rebobinar
pista anterior|atrás|escena anterior|triángulo
triángulo hacia arriba|botón|botón triángulo hacia arriba
triángulo doble hacia arriba|flecha
triángulo hacia abajo|botón|botón triángulo hacia abajo
triángulo doble hacia abajo|triángulo doble abajo
pausa|barras|botón|vertical
detener|botón|cuadrado|parar
grabar|botón|círculo
expulsar|botón
cine|entretenimiento|película
brillo bajo|señal de brillo bajo|tenue
brillo alto|brillante|señal de brillo alto
barras de cobertura|antena|celular|móvil|señal|teléfono
wifi|conexión|inalámbrica|internet|red|wi-fi
modo vibración|móvil|teléfono|teléfono celular
teléfono móvil apagado|teléfono celular
signo femenino|mujer|símbolo
signo masculino|hombre|símbolo
símbolo de transgénero
multiplicación|cancelar|marca|prohibido|signo de multiplicación|x|×
más|+|signo|suma
menos|-|resta|signo|−
división|signo|signo de división|÷
signo igual grueso|equivalencia|igualdad|matemáticas|mates
infinito|ilimitado|siempre|universal
exclamación doble|!!|puntuación|sorpresa
exclamación e interrogación|!|!?|?
interrogación roja|?|pregunta|puntuación|signo de interrogación
interrogación blanca|?|pregunta|puntuación
exclamación blanca|!|puntuación
exclamación roja|!|puntuación|signo de exclamación
guion ondulado|marca de sonido largo
cambio de divisas|dinero|moneda
símbolo de dólar|dinero
símbolo de medicina|asclepio|esculapio|serpiente
símbolo de reciclaje|reciclar|señal|símbolo universal de reciclaje sólido|universal
flor de lis
emblema de tridente|ancla
etiqueta identificativa|nombre
símbolo japonés para principiante|amarillo|verde
círculo rojo hueco|aro
botón de marca de verificación|selección|✓
casilla con marca de verificación|selección|✓
marca de verificación|selección|✓
marca de cruz|cancelar|marca de tachado|tachar|x|×
botón con marca de cruz|casilla|x|×
bucle|giro|tirabuzón
bucle doble
marca de alternancia
asterisco de ocho puntas|*
estrella de ocho puntas|*
chispa|*
copyright|símbolo
marca registrada|símbolo de marca registrada
símbolo de marca comercial
Teclas: #
Teclas: *
tecla: 0|cero
tecla: 1|uno
tecla: 2|dos
tecla: 3|tres
tecla: 4|cuatro
tecla: 5|cinco
tecla: 6|seis
tecla: 7|siete
tecla: 8|ocho
tecla: 9|nueve
Teclas: 10
letras latinas mayúsculas|abcd
letras latinas minúsculas|abcd
números|1234|dígitos
símbolos|〒♪&%
alfabeto latino|abc
grupo sanguíneo A|tipo a
grupo sanguíneo AB|tipo ab
grupo sanguíneo B|tipo b
borrar|símbolo
botón COOL|mola
botón FREE|gratis|símbolo gratis
información
símbolo de identificación|identidad|símbolo identidad
m en círculo
botón NEW|nuevo
botón NG|nuevo
grupo sanguíneo tipo O
botón OK
aparcamiento|parking
símbolo de socorro|ayuda|sos
botón UP!|arriba|información|novedad|símbolo
botón VS|contra|frente a|símbolo|versus
ideograma japonés para "aquí"|katakana|“aquí”
ideograma japonés para "de cortesía"|katakana
ideograma japonés para "cantidad mensual"|kanji|“cantidad mensual”
ideograma japonés para "de pago"|kanji|“de pago”
ideograma japonés para "reservado"|kanji
ideograma japonés para "ganga"|kanji
ideograma japonés para "descuento"|kanji
ideograma japonés para "gratis"|kanji
ideograma japonés para "prohibido"|kanji
ideograma japonés para "aceptable"|kanji
ideograma japonés para "aplicación"|kanji
ideograma japonés para "aprobado"|kanji
ideograma japonés para "vacante"|kanji
ideograma japonés para "enhorabuena"|kanji
ideograma japonés para "secreto"|kanji
ideograma japonés para "abierto"|kanji
ideograma japonés para "completo"|kanji|lleno
círculo rojo|geometría
círculo naranja
círculo amarillo
círculo verde
círculo azul|geometría
círculo morado|lila|púrpura
círculo marrón
círculo negro|geometría
círculo blanco|geometría
cuadrado rojo
cuadrado naranja
cuadrado amarillo
cuadrado verde
cuadrado azul
cuadrado morado|lila|púrpura
cuadrado marrón
cuadrado negro grande|geometría
cuadrado blanco grande|geometría
cuadrado negro mediano|geometría
cuadrado blanco mediano|geometría
cuadrado negro mediano-pequeño|geometría
cuadrado blanco mediano-pequeño|geometría
cuadrado negro pequeño|geometría
cuadrado blanco pequeño|geometría
rombo naranja grande|geometría
rombo azul grande|geometría
rombo naranja pequeño|geometría
rombo azul pequeño|geometría
triángulo rojo hacia arriba|geometría|triángulo hacia arriba rojo
triángulo rojo hacia abajo|geometría|triángulo hacia abajo rojo
rombo con pétalo|flor|geometría
botón de opción
botón cuadrado con borde blanco
botón cuadrado con borde negro
bandera de cuadros|carreras|deporte|motor
bandera triangular|bandera de localización triangular|bandera informativa de localización|localización
banderas cruzadas|celebración|japón
bandera negra|ondear
bandera blanca|ondear
bandera del arcoíris
bandera transgénero|azul|blanco|lgtb|rosa
bandera pirata|botín|jolly roger|tesoro
Bandera: Isla de la Ascensión|ac
Bandera: Andorra|ad
Bandera: Emiratos Árabes Unidos|ae
Bandera: Afganistán
Bandera: Antigua y Barbuda|ag
Bandera: Anguila|ai
Bandera: Albania
Bandera: Armenia|am
Bandera: Angola|ao
Bandera: Antártida|aq
Bandera: Argentina
Bandera: Samoa Americana|as
Bandera: Austria|at
Bandera: Australia
Bandera: Aruba|aw
Bandera: Islas Aland|ax
Bandera: Azerbaiyán
Bandera: Bosnia y Herzegovina
Bandera: Barbados|bb
Bandera: Bangladés|bd
Bandera: Bélgica|be
Bandera: Burkina Faso|bf
Bandera: Bulgaria|bg
Bandera: Baréin|bh
Bandera: Burundi|bi
Bandera: Benín|bj
Bandera: San Bartolomé|bl
Bandera: Bermudas|bm
Bandera: Brunéi|bn
Bandera: Bolivia
Bandera: Caribe neerlandés|bq
Bandera: Brasil
Bandera: Bahamas|bs
Bandera: Bután|bt
Bandera: Isla Bouvet|bv
Bandera: Botsuana|bw
Bandera: Bielorrusia|by
Bandera: Belice|bz
Bandera: Canadá
Bandera: Islas Cocos|cc
Bandera: República Democrática del Congo|cd
Bandera: República Centroafricana|cf
Bandera: Congo|cg
Bandera: Suiza|ch
Bandera: Côte d’Ivoire|ci
Bandera: Islas Cook|ck
Bandera: Chile|cl
Bandera: Camerún|cm
Bandera: China|cn
Bandera: Colombia
Bandera: Isla Clipperton|cp
Bandera: Costa Rica|cr
Bandera: Cuba
Bandera: Cabo Verde|cv
Bandera: Curazao|cw
Bandera: Isla de Navidad|cx
Bandera: Chipre|cy
Bandera: Chequia|cz
Bandera: Alemania
Bandera: Diego García|dg
Bandera: Yibuti|dj
Bandera: Dinamarca|dk
Bandera: Dominica|dm
Bandera: República Dominicana
Bandera: Argelia|dz
Bandera: Ceuta y Melilla|ea
Bandera: Ecuador
Bandera: Estonia|ee
Bandera: Egipto
Bandera: Sáhara Occidental|eh
Bandera: Eritrea
Bandera: España
Bandera: Etiopía
Bandera: Unión Europea
Bandera: Finlandia
Bandera: Fiyi|fj
Bandera: Islas Malvinas|fk
Bandera: Micronesia|fm
Bandera: Islas Feroe|fo
Bandera: Francia
Bandera: Gabón
Bandera: Reino Unido|gb
Bandera: Granada|gd
Bandera: Georgia
Bandera: Guayana Francesa|gf
Bandera: Guernesey|gg
Bandera: Ghana
Bandera: Gibraltar
Bandera: Groenlandia|gl
Bandera: Gambia|gm
Bandera: Guinea|gn
Bandera: Guadalupe|gp
Bandera: Guinea Ecuatorial|gq
Bandera: Grecia
Bandera: Islas Georgia del Sur y Sandwich del Sur|gs
Bandera: Guatemala|gt
Bandera: Guam
Bandera: Guinea-Bisáu|gw
Bandera: Guyana|gy
Bandera: RAE de Hong Kong (China)|hk
Bandera: Islas Heard y McDonald|hm
Bandera: Honduras|hn
Bandera: Croacia|hr
Bandera: Haití|ht
Bandera: Hungría
Bandera: Canarias|ic
Bandera: Indonesia|id
Bandera: Irlanda|ie
Bandera: Israel|il
Bandera: Isla de Man|im
Bandera: India
Bandera: Territorio Británico del Océano Índico
Bandera: Irak|iq
Bandera: Irán
Bandera: Islandia
Bandera: Italia
Bandera: Jersey
Bandera: Jamaica|jm
Bandera: Jordania
Bandera: Japón|jp
Bandera: Kenia
Bandera: Kirguistán|kg
Bandera: Camboya|kh
Bandera: Kiribati
Bandera: Comoras|km
Bandera: San Cristóbal y Nieves|kn
Bandera: Corea del Norte|kp
Bandera: Corea del Sur|kr
Bandera: Kuwait|kw
Bandera: Islas Caimán|ky
Bandera: Kazajistán|kz
Bandera: Laos
Bandera: Líbano|lb
Bandera: Santa Lucía|lc
Bandera: Liechtenstein
Bandera: Sri Lanka|lk
Bandera: Liberia|lr
Bandera: Lesoto|ls
Bandera: Lituania|lt
Bandera: Luxemburgo
Bandera: Letonia|lv
Bandera: Libia|ly
Bandera: Marruecos
Bandera: Mónaco|mc
Bandera: Moldavia|md
Bandera: Montenegro|me
Bandera: San Martín|mf
Bandera: Madagascar|mg
Bandera: Islas Marshall|mh
Bandera: Macedonia del Norte|mk
Bandera: Mali|ml
Bandera: Myanmar (Birmania)|mm
Bandera: Mongolia|mn
Bandera: RAE de Macao (China)|mo
Bandera: Islas Marianas del Norte|mp
Bandera: Martinica|mq
Bandera: Mauritania|mr
Bandera: Montserrat|ms
Bandera: Malta|mt
Bandera: Mauricio|mu
Bandera: Maldivas|mv
Bandera: Malaui|mw
Bandera: México|mx
Bandera: Malasia|my
Bandera: Mozambique|mz
Bandera: Namibia
Bandera: Nueva Caledonia|nc
Bandera: Níger|ne
Bandera: Isla Norfolk|nf
Bandera: Nigeria|ng
Bandera: Nicaragua
Bandera: Países Bajos|nl
Bandera: Noruega
Bandera: Nepal|np
Bandera: Nauru|nr
Bandera: Niue|nu
Bandera: Nueva Zelanda|nz
Bandera: Omán
Bandera: Panamá
Bandera: Perú
Bandera: Polinesia Francesa|pf
Bandera: Papúa Nueva Guinea|pg
Bandera: Filipinas|ph
Bandera: Pakistán|pk
Bandera: Polonia|pl
Bandera: San Pedro y Miquelón|pm
Bandera: Islas Pitcairn|pn
Bandera: Puerto Rico|pr
Bandera: Territorios Palestinos|ps
Bandera: Portugal|pt
Bandera: Palaos|pw
Bandera: Paraguay|py
Bandera: Catar|qa
Bandera: Reunión
Bandera: Rumanía|ro
Bandera: Serbia|rs
Bandera: Rusia
Bandera: Ruanda|rw
Bandera: Arabia Saudí
Bandera: Islas Salomón|sb
Bandera: Seychelles|sc
Bandera: Sudán|sd
Bandera: Suecia|se
Bandera: Singapur|sg
Bandera: Santa Elena|sh
Bandera: Eslovenia|si
Bandera: Svalbard y Jan Mayen|sj
Bandera: Eslovaquia|sk
Bandera: Sierra Leona|sl
Bandera: San Marino|sm
Bandera: Senegal|sn
Bandera: Somalia
Bandera: Surinam|sr
Bandera: Sudán del Sur|ss
Bandera: Santo Tomé y Príncipe|st
Bandera: El Salvador|sv
Bandera: Sint Maarten|sx
Bandera: Siria|sy
Bandera: Esuatini|sz
Bandera: Tristán de Acuña|ta
Bandera: Islas Turcas y Caicos|tc
Bandera: Chad|td
Bandera: Territorios Australes Franceses|tf
Bandera: Togo|tg
Bandera: Tailandia|th
Bandera: Tayikistán|tj
Bandera: Tokelau|tk
Bandera: Timor-Leste|tl
Bandera: Turkmenistán|tm
Bandera: Túnez|tn
Bandera: Tonga
Bandera: Turquía|tr
Bandera: Trinidad y Tobago|tt
Bandera: Tuvalu|tv
Bandera: Taiwán|tw
Bandera: Tanzania|tz
Bandera: Ucrania|ua
Bandera: Uganda
Bandera: Islas menores alejadas de EE. UU.|um
Bandera: Naciones Unidas
Bandera: Estados Unidos|us
Bandera: Uruguay|uy
Bandera: Uzbekistán
Bandera: Ciudad del Vaticano
Bandera: San Vicente y las Granadinas|vc
Bandera: Venezuela
Bandera: Islas Vírgenes Británicas|vg
Bandera: Islas Vírgenes de EE. UU.|vi
Bandera: Vietnam|vn
Bandera: Vanuatu|vu
Bandera: Wallis y Futuna|wf
Bandera: Samoa|ws
Bandera: Kosovo|xk
Bandera: Yemen
Bandera: Mayotte|yt
Bandera: Sudáfrica|za
Bandera: Zambia|zm
Bandera: Zimbabue|zw
Bandera: Inglaterra|gbeng
Bandera: Escocia|gbsct
Bandera: Gales|gbwls`;
