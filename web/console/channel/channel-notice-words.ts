import { dictionary, pluralEn, pluralRu } from "../../kit/i18n.ts";

export const words = dictionary({
  en: {
    state: (state: string, ago: string) => `Not active: ${state}, for ${ago}`,
    said: (detail: string) => `The messenger said: ${detail}`,
    queued: (count: number) =>
      `${pluralEn(count, { one: "1 message waits", other: `${count} messages wait` })} and will be sent afterwards.`,
    stopped: (ago: string) => `Sending stopped by an operator, for ${ago}`,
    stoppedDo: "Accepted messages wait in the queue. Resume sending, or clear the queue.",
    noNode: "No node has this channel open.",
    noNodeDo: "Check under System whether a node with the role “sessions” is alive.",
    noNodeAdmin: "The operator has to check the nodes. Messages wait in the queue.",
    waits: (count: number, ago: string) =>
      `${pluralEn(count, { one: "1 message waits", other: `${count} messages wait` })}, the oldest for ${ago}`,
    waitsDo: "Pacing shows what they wait for. The exchange log shows what the messenger answers.",
  },
  ru: {
    state: (state: string, ago: string) => `Не работает: ${state}, уже ${ago}`,
    said: (detail: string) => `Мессенджер сообщил: ${detail}`,
    queued: (count: number) =>
      `${pluralRu(count, { one: `Ждёт ${count} сообщение`, few: `Ждут ${count} сообщения`, many: `Ждут ${count} сообщений` })}, отправка — сразу после подключения.`,
    stopped: (ago: string) => `Отправку остановил оператор, ${ago} назад`,
    stoppedDo: "Принятые сообщения ждут в очереди. Разрешите отправку или очистите очередь.",
    noNode: "Канал не открыт ни на одном узле.",
    noNodeDo: "Проверьте в разделе «Система», работает ли узел с ролью «sessions».",
    noNodeAdmin: "Узлы должен проверить оператор. Сообщения ждут в очереди.",
    waits: (count: number, ago: string) =>
      `${pluralRu(count, { one: `Ждёт ${count} сообщение`, few: `Ждут ${count} сообщения`, many: `Ждут ${count} сообщений` })}, самое старое уже ${ago}`,
    waitsDo: "В карточке «Темп» видно, чего они ждут, в журнале обмена — что отвечает мессенджер.",
  },
});

/** The remedy for each status and reason of a channel. */
export const remedies = dictionary({
  en: {
    init: "The channel is starting. If this takes longer than a minute, look at the exchange log, then reconnect.",
    disabled: "Reconnect. If that fails, open the connect page.",
    qr: "Open the connect page and scan the QR code with the phone.",
    qridle: "Nobody scanned the QR code in time. Open the connect page for a new one.",
    sync: "Nothing: the messenger sends the history. Messages go out afterwards.",
    proxy:
      "Its proxy does not work; the exchange log says why. Messages wait and go out when it works again.",
    wait_for_password: "Open the connect page and enter the account’s two-step password.",
    wait_for_passkey: "Open the connect page and confirm with the account’s passkey.",
    wait_for_code:
      "Open the connect page: enter the code that the messenger sent, or compare the one that is shown.",
    blocked: "The messenger blocked the account. Its owner appeals there; connect another account meanwhile.",
    not_enough_money: "The account is marked as unpaid. Once it is paid, run the command “channel paid”.",
    rejected: "The messenger rejected the account or its application. See the exchange log for its words.",
    unauthorized:
      "The key or session was revoked at the messenger. Open the connect page and enter it again.",
    unlinked:
      "The phone, or the messenger, removed this device from the account. Open the connect page and scan the code with the phone.",
    foreignphone: "Another phone was linked. Open the connect page and scan with the channel’s own phone.",
    openelsewhere: "Another program uses the same account. End it there, then reconnect.",
  },
  ru: {
    init: "Канал запускается. Если это длится больше минуты, посмотрите журнал обмена и подключите канал снова.",
    disabled: "Подключите канал снова. Если не получится, откройте страницу подключения.",
    qr: "Откройте страницу подключения и отсканируйте QR-код телефоном.",
    qridle: "QR-код не отсканировали вовремя. Новый даст страница подключения.",
    sync: "Ничего: мессенджер передаёт историю. Отправка начнётся после неё.",
    proxy:
      "Не работает прокси канала, причина — в журнале обмена. Сообщения ждут и уйдут, когда он заработает.",
    wait_for_password: "Откройте страницу подключения и введите пароль двухэтапной проверки.",
    wait_for_passkey: "Откройте страницу подключения и подтвердите ключом доступа аккаунта.",
    wait_for_code: "Откройте страницу подключения: введите код от мессенджера или сравните показанный.",
    blocked:
      "Мессенджер заблокировал аккаунт. Владелец может обжаловать это там; пока подключите другой аккаунт.",
    not_enough_money: "Канал отмечен как неоплаченный. После оплаты выполните команду «channel paid».",
    rejected: "Мессенджер отклонил аккаунт или приложение. Его слова — в журнале обмена.",
    unauthorized: "Ключ или сеанс отозван в мессенджере. Откройте страницу подключения и введите его снова.",
    unlinked:
      "Телефон или сам мессенджер отвязал это устройство. Откройте страницу подключения и отсканируйте код телефоном.",
    foreignphone:
      "Подключён другой телефон. Отсканируйте код на странице подключения телефоном этого канала.",
    openelsewhere: "Этот аккаунт открыт в другой программе. Закройте её и подключите канал снова.",
  },
});
