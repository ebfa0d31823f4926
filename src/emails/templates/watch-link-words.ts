import type { Locale } from '../words.ts';

/** What the mail says that brings somebody the link to a watch that they have. */
interface WatchLinkWords {
  subject(section: string): string;
  heading: string;
  asked: string;
  /** Nothing has changed: somebody else may have asked. */
  stands: string;
  manage: string;
  reason: string;
  unsubscribe: string;
}

export const watchLinkWords: Readonly<Record<Locale, WatchLinkWords>> = {
  en: {
    subject: (section) => `Your link: ${section}`,
    heading: 'You watch this section already',
    asked: 'Somebody asked with this address to watch a section that you watch already:',
    stands: 'Nothing has changed. Here you see how it stands, and can pause, change or stop it.',
    manage: 'See what you watch',
    reason: 'You get this mail because this address was entered to watch a section.',
    unsubscribe: 'Stop watching this section',
  },
  ro: {
    subject: (section) => `Linkul dumneavoastră: ${section}`,
    heading: 'Urmăriți deja această secțiune',
    asked: 'Cineva a cerut, cu această adresă, să urmărească o secțiune pe care o urmăriți deja:',
    stands: 'Nu s-a schimbat nimic. Aici vedeți starea ei și o puteți pune în pauză, schimba sau opri.',
    manage: 'Vedeți ce urmăriți',
    reason: 'Primiți acest mesaj pentru că această adresă a fost introdusă pentru a urmări o secțiune.',
    unsubscribe: 'Nu mai urmăriți această secțiune',
  },
  'zh-CN': {
    subject: (section) => `您的链接：${section}`,
    heading: '您已在关注这个班',
    asked: '有人用这个邮箱要求关注一个您已在关注的班：',
    stands: '没有任何改变。您可以在这里查看状态，也可以暂停、更改或停止。',
    manage: '查看您的关注',
    reason: '您收到这封邮件，是因为有人填写了这个邮箱来关注一个班。',
    unsubscribe: '不再关注这个班',
  },
};
