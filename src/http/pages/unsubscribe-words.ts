import type { Locale } from '../../emails/words.ts';

/**
 * What the pages behind an unsubscribe link say. Every sentence must also be true of a link that nobody gave out, and of one that was used before:
 * the page does not tell them apart. So it speaks of the kind of mails that the link came with, and says below what that is for each kind that is
 * sent here at all.
 */
export interface UnsubscribeWords {
  /** Before anything was asked for. */
  ask: Says;
  stopped: Says;
  everythingStopped: Says;
  takenBack: Says;
  /** Behind it, where something waits for its owner to confirm it. */
  unconfirmed: string;
  /** The database could not be asked. */
  failed: Says;
  stop: string;
  /** On offer after a stop. */
  undo: Offer;
  everything: Offer & { heading: string };
  tryAgain: string;
  /** For whom the link was cut off, or is older than what is kept. */
  otherwise: string;
  /** Above them. */
  kindsLead: string;
  /** What a link in each kind of mail stops; the last is the mails whose words the operator brings. */
  kinds: { seats: string; newsletters: string; reviews: string; others: string };
}

export interface Says {
  title: string;
  heading: string;
  text: string;
}

interface Offer {
  text: string;
  button: string;
}

export const unsubscribeWords: Readonly<Record<Locale, UnsubscribeWords>> = {
  en: {
    ask: {
      title: 'Unsubscribe',
      heading: 'Stop these mails?',
      text: 'Only mails of the kind that this link came with stop; other mails are not touched. If they are stopped already, they stay so. Until you press the button, nothing changes.',
    },
    stopped: {
      title: 'Mails stopped',
      heading: 'These mails are stopped',
      text: 'Mails of the kind that this link came with are no longer sent. One that has already left may still arrive.',
    },
    everythingStopped: {
      title: 'All mails stopped',
      heading: 'Everything is stopped',
      text: 'The address that this link was sent to gets no more mails from us. One that has already left may still arrive.',
    },
    takenBack: {
      title: 'Taken back',
      heading: 'Taken back',
      text: 'What was stopped through this link in the last 24 hours goes on as before: what was held back meanwhile is sent now, if it is still of use, and nothing comes twice. What was stopped earlier stays stopped.',
    },
    unconfirmed: 'What was not confirmed before still waits to be.',
    failed: {
      title: 'Not done',
      heading: 'That did not work',
      text: 'Something is wrong on our side, not on yours. Please try again in a minute.',
    },
    stop: 'Stop these mails',
    undo: {
      text: 'Pressed by mistake? For 24 hours from the first time you can take it back.',
      button: 'Undo',
    },
    everything: {
      heading: 'Not only these?',
      text: 'You can stop all our mails to your address at once.',
      button: 'Stop everything',
    },
    tryAgain: 'Try again',
    otherwise: 'If more of them come later, use the link in the newest one.',
    kindsLead: 'If the link was in …',
    kinds: {
      seats: '… a mail about a course section: mails about that section',
      newsletters: '… a newsletter or an alert: that newsletter or alert',
      reviews: '… a mail about a code review: all mails about code reviews',
      others: '… any other message: all our other messages',
    },
  },
  ro: {
    ask: {
      title: 'Dezabonare',
      heading: 'Doriți să opriți aceste mesaje?',
      text: 'Se opresc doar mesajele de felul celui cu care a venit acest link; celelalte nu sunt atinse. Dacă sunt deja oprite, rămân așa. Până când apăsați butonul, nu se schimbă nimic.',
    },
    stopped: {
      title: 'Mesaje oprite',
      heading: 'Aceste mesaje sunt oprite',
      text: 'Mesajele de felul celui cu care a venit acest link nu mai sunt trimise. Unul care a plecat deja poate încă să ajungă.',
    },
    everythingStopped: {
      title: 'Toate mesajele oprite',
      heading: 'Totul este oprit',
      text: 'Adresa la care a fost trimis acest link nu mai primește mesaje de la noi. Unul care a plecat deja poate încă să ajungă.',
    },
    takenBack: {
      title: 'Oprire anulată',
      heading: 'Oprirea este anulată',
      text: 'Ce a fost oprit prin acest link în ultimele 24 de ore continuă ca înainte: ce a fost reținut între timp se trimite acum, dacă mai este de folos, și nimic nu vine de două ori. Ce a fost oprit mai devreme rămâne oprit.',
    },
    unconfirmed: 'Ce nu era confirmat înainte așteaptă în continuare confirmarea.',
    failed: {
      title: 'Nu s-a făcut',
      heading: 'Nu am reușit',
      text: 'Problema este la noi, nu la dumneavoastră. Vă rugăm să încercați din nou peste un minut.',
    },
    stop: 'Opriți aceste mesaje',
    undo: {
      text: 'Ați apăsat din greșeală? Puteți reveni în 24 de ore de la prima apăsare.',
      button: 'Anulați oprirea',
    },
    everything: {
      heading: 'Nu doar acestea?',
      text: 'Puteți opri deodată toate mesajele noastre către adresa dumneavoastră.',
      button: 'Opriți tot',
    },
    tryAgain: 'Încercați din nou',
    otherwise: 'Dacă mai vin astfel de mesaje, folosiți linkul din cel mai nou.',
    kindsLead: 'Dacă linkul era în …',
    kinds: {
      seats: '… un mesaj despre o secțiune de curs: mesajele despre acea secțiune',
      newsletters: '… un buletin sau o alertă: acel buletin sau acea alertă',
      reviews: '… un mesaj despre o revizuire de cod: toate mesajele despre revizuiri de cod',
      others: '… orice alt mesaj: toate celelalte mesaje ale noastre',
    },
  },
  'zh-CN': {
    ask: {
      title: '退订',
      heading: '要停止这些邮件吗？',
      text: '按下按钮后，只停止带来此链接的那一类邮件，其他邮件不受影响。如果已经停止，则保持停止。在您按下按钮之前，一切不变。',
    },
    stopped: {
      title: '邮件已停止',
      heading: '这些邮件已停止',
      text: '带来此链接的那一类邮件不再发送。已经发出的邮件仍可能送达。',
    },
    everythingStopped: {
      title: '所有邮件已停止',
      heading: '所有邮件已停止',
      text: '收到此链接的邮箱地址不会再收到我们的邮件。已经发出的邮件仍可能送达。',
    },
    takenBack: {
      title: '已撤销',
      heading: '已撤销',
      text: '过去 24 小时内通过此链接停止的邮件照旧继续：其间暂缓的邮件如仍有用，现在就会发送，且不会重复。更早停止的邮件仍保持停止。',
    },
    unconfirmed: '之前未确认的，仍需您确认。',
    failed: {
      title: '未能完成',
      heading: '未能完成',
      text: '问题出在我们这边，与您无关。请一分钟后再试。',
    },
    stop: '停止这些邮件',
    undo: { text: '按错了？自第一次按下起 24 小时内可以撤销。', button: '撤销' },
    everything: {
      heading: '不只是这些？',
      text: '您可以一次停止我们发往您邮箱的所有邮件。',
      button: '停止所有邮件',
    },
    tryAgain: '重试',
    otherwise: '如果之后仍收到这类邮件，请使用最新一封中的链接。',
    kindsLead: '如果链接来自……',
    kinds: {
      seats: '……关于某个班级的邮件：关于该班级的邮件',
      newsletters: '……简报或提醒：该份简报或该项提醒',
      reviews: '……关于代码审查的邮件：所有代码审查邮件',
      others: '……其他邮件：我们的所有其他邮件',
    },
  },
};

/** The kinds of mails that are sent here. Everybody may be sent one of no kind. */
export type Kinds = Readonly<Record<'seats' | 'newsletters' | 'reviews', boolean>>;

/** None where there is but one kind: then "these mails" says it. */
export function kindsSaid({ kinds }: UnsubscribeWords, sent: Kinds): string[] {
  const named = (['seats', 'newsletters', 'reviews'] as const).filter((kind) => sent[kind]);
  return named.length === 0 ? [] : [...named.map((kind) => kinds[kind]), kinds.others];
}
