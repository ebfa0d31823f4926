import type { Locale } from '../words.ts';

/** What an open-seat mail says by itself. Where a word takes a value, it stands at its end: every language can do that. */
interface OpenSeatWords {
  /** The section as subject and heading name it. */
  section(course: string, number: string, index: string): string;
  /** Of an index that no catalog knows. */
  index(index: string): string;
  subject(section: string): string;
  heading: string;
  seen(at: string): string;
  /** A seat is nobody's until it is taken. */
  hurry: string;
  labels: {
    meets: string;
    campus: string;
    permission: string;
    restrictions: string;
    notes: string;
    twinsOpen: string;
    twinsClosed: string;
  };
  register: string;
  reason: string;
  manage: string;
  unsubscribe: string;
}

export const openSeatWords: Readonly<Record<Locale, OpenSeatWords>> = {
  en: {
    section: (course, number, index) => `${course} section ${number}, index ${index}`,
    index: (index) => `index ${index}`,
    subject: (section) => `Open: ${section}`,
    heading: 'A seat has opened',
    seen: (at) => `Seen open: ${at}`,
    hurry: 'Seats often go within minutes. By the time you read this, somebody else may have taken it.',
    labels: {
      meets: 'Meets',
      campus: 'Campus',
      permission: 'Special permission is needed to add it',
      restrictions: 'Open only to',
      notes: 'Notes',
      twinsOpen: 'Same class under another number, open too',
      twinsClosed: 'Same class under another number, not open',
    },
    register: 'Register for this section',
    reason: 'You get this mail because you asked to be told when this section opens.',
    manage: 'Pause it, set quiet hours or see what you watch',
    unsubscribe: 'Stop watching this section',
  },
  ro: {
    section: (course, number, index) => `${course} secțiunea ${number}, index ${index}`,
    index: (index) => `index ${index}`,
    subject: (section) => `Loc liber: ${section}`,
    heading: 'S-a eliberat un loc',
    seen: (at) => `Văzut liber: ${at}`,
    hurry:
      'Locurile se ocupă adesea în câteva minute. Până citiți acest mesaj, e posibil să-l fi luat altcineva.',
    labels: {
      meets: 'Orar',
      campus: 'Campus',
      permission: 'Înscrierea cere o aprobare specială',
      restrictions: 'Deschis numai pentru',
      notes: 'Note',
      twinsOpen: 'Același curs sub alt număr, liber și el',
      twinsClosed: 'Același curs sub alt număr, ocupat',
    },
    register: 'Înscrieți-vă acum',
    reason:
      'Primiți acest mesaj pentru că ați cerut să aflați când se eliberează un loc la această secțiune.',
    manage: 'Puneți pauză, alegeți ore de liniște sau vedeți ce urmăriți',
    unsubscribe: 'Nu mai urmăriți această secțiune',
  },
  'zh-CN': {
    section: (course, number, index) => `${course} ${number} 班，编号 ${index}`,
    index: (index) => `编号 ${index}`,
    subject: (section) => `有空位：${section}`,
    heading: '您关注的课有空位了',
    seen: (at) => `发现空位的时间：${at}`,
    hurry: '空位常常几分钟内就会被占。您读到这封邮件时，可能已有人选上。',
    labels: {
      meets: '上课时间',
      campus: '校区',
      permission: '选课需要特别许可',
      restrictions: '仅限',
      notes: '备注',
      twinsOpen: '同一门课的另一编号，也有空位',
      twinsClosed: '同一门课的另一编号，没有空位',
    },
    register: '去选这门课',
    reason: '您收到这封邮件，是因为您要求在这个班有空位时得到通知。',
    manage: '暂停、设置免打扰时段或查看您关注的课',
    unsubscribe: '不再关注这个班',
  },
};

interface VerificationWords {
  subject(section: string): string;
  heading: string;
  asked: string;
  confirm: string;
  /** One mail is for all that somebody asks for within some minutes. */
  several: string;
  before(at: string): string;
  ignore: string;
  reason: string;
  unsubscribe: string;
}

export const verificationWords: Readonly<Record<Locale, VerificationWords>> = {
  en: {
    subject: (section) => `Confirm: watch ${section}`,
    heading: 'Is this your address?',
    asked: 'Somebody asked us to write to this address when a seat opens in:',
    confirm: 'Confirm and start watching',
    several: 'If more was asked for with this address, the same button confirms it. You see all of it first.',
    before: (at) => `Please confirm by ${at}.`,
    ignore:
      'If it was not you, ignore this mail: without your confirmation you get no mails about this section.',
    reason: 'You get this mail because this address was entered to watch a section.',
    unsubscribe: 'Do not ask again',
  },
  ro: {
    subject: (section) => `Confirmați: urmăriți ${section}`,
    heading: 'Este adresa dumneavoastră?',
    asked: 'Cineva ne-a cerut să scriem la această adresă când se eliberează un loc la:',
    confirm: 'Confirmați și începeți să urmăriți',
    several:
      'Dacă s-au cerut mai multe cu această adresă, același buton le confirmă. Le vedeți mai întâi pe toate.',
    before: (at) => `Vă rugăm să confirmați până la: ${at}.`,
    ignore:
      'Dacă nu ați cerut dumneavoastră, ignorați acest mesaj: fără confirmare nu primiți mesaje despre această secțiune.',
    reason: 'Primiți acest mesaj pentru că această adresă a fost introdusă pentru a urmări o secțiune.',
    unsubscribe: 'Nu mai întrebați',
  },
  'zh-CN': {
    subject: (section) => `请确认：关注 ${section}`,
    heading: '这是您的邮箱吗？',
    asked: '有人要求我们在以下班级有空位时写信到这个邮箱：',
    confirm: '确认并开始关注',
    several: '如果用这个邮箱还申请了其他班级，同一个按钮会一并确认。您会先看到全部。',
    before: (at) => `请在此之前确认：${at}`,
    ignore: '如果不是您本人，请忽略这封邮件：未经您确认，您不会收到关于这个班的邮件。',
    reason: '您收到这封邮件，是因为有人填写了这个邮箱来关注一个班。',
    unsubscribe: '不要再询问',
  },
};
