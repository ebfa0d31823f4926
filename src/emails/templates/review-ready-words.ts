import type { Locale } from '../words.ts';
import type { Severity } from './review-ready-props.ts';

/** What a review's mail says by itself. Counts stand behind a label: so no language has to bend a word to a number. */
export interface ReviewReadyWords {
  /** What stands before and after the title in the subject. */
  subject: string;
  inVersion(version: string): string;
  changelist: string;
  version: string;
  findings: string;
  /** Above those of a severity. */
  severities: Readonly<Record<Severity, string>>;
  /** Beside a single one. */
  severity: Readonly<Record<Severity, string>>;
  none: string;
  /** Of the row of numbers below, where it is read aloud. */
  changes: string;
  since(version: string): string;
  added: string;
  /** Not "fixed": a bot that does not name it again has not said so. */
  gone: string;
  remaining: string;
  isNew: string;
  leftOut: string;
  open: string;
  reason: string;
  unsubscribe: string;
}

const inEnglish = { critical: 'Critical', major: 'Major', minor: 'Minor', info: 'Info' } as const;
const inChinese = { critical: '严重', major: '重要', minor: '次要', info: '提示' } as const;

export const reviewReadyWords: Readonly<Record<Locale, ReviewReadyWords>> = {
  en: {
    subject: 'Review ready: ',
    inVersion: (version) => `, version ${version}`,
    changelist: 'Change list',
    version: 'Version',
    findings: 'Findings',
    severities: inEnglish,
    severity: inEnglish,
    none: 'This version has no findings.',
    changes: 'Changes',
    since: (version) => `Since version ${version}`,
    added: 'New',
    gone: 'Gone',
    remaining: 'Still there',
    isNew: 'New',
    leftOut: 'Not listed in this mail',
    open: 'Open the review',
    reason: 'You get this mail because you were named to be told of the reviews of this change.',
    unsubscribe: 'Stop all mails about code reviews',
  },
  ro: {
    subject: 'Revizuire gata: ',
    inVersion: (version) => `, versiunea ${version}`,
    changelist: 'Lista de modificări',
    version: 'Versiunea',
    findings: 'Constatări',
    severities: { critical: 'Critice', major: 'Majore', minor: 'Minore', info: 'Info' },
    severity: { critical: 'Critică', major: 'Majoră', minor: 'Minoră', info: 'Info' },
    none: 'Această versiune nu are nicio constatare.',
    changes: 'Schimbări',
    since: (version) => `Față de versiunea ${version}`,
    added: 'Noi',
    gone: 'Dispărute',
    remaining: 'Rămase',
    isNew: 'Nouă',
    leftOut: 'Nu apar în acest mesaj',
    open: 'Deschideți revizuirea',
    reason:
      'Primiți acest mesaj pentru că adresa dumneavoastră este printre cele care primesc revizuirile acestei modificări.',
    unsubscribe: 'Nu mai primiți mesaje despre revizuiri de cod',
  },
  'zh-CN': {
    subject: '评审完成：',
    inVersion: (version) => `（第 ${version} 版）`,
    changelist: '变更',
    version: '版本',
    findings: '发现的问题',
    severities: inChinese,
    severity: inChinese,
    none: '这一版没有发现问题。',
    changes: '变化',
    since: (version) => `与第 ${version} 版相比`,
    added: '新增',
    gone: '已消失',
    remaining: '仍存在',
    isNew: '新增',
    leftOut: '本邮件未列出',
    open: '打开评审',
    reason: '您收到这封邮件，是因为您被列为这项变更评审结果的接收人。',
    unsubscribe: '不再接收代码评审邮件',
  },
};
