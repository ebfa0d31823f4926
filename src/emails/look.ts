/**
 * How mails look: ink on paper, one accent for what can be clicked. The light values are written into the markup, where every
 * mail program finds them; the dark ones stand in a style sheet for those that know of dark. Contrast is AA in both.
 */
export const light = {
  paper: '#fbfaf7',
  ink: '#1d1b18',
  quiet: '#5c574f',
  hairline: '#e0dcd3',
  accent: '#1a56a8',
  onAccent: '#ffffff',
} as const;

export const dark: Readonly<Record<keyof typeof light, string>> = {
  paper: '#191816',
  ink: '#ece8e1',
  quiet: '#aaa498',
  hairline: '#3b3833',
  accent: '#8fb9f2',
  onAccent: '#14181f',
};

export const fontFamily = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
export const monoFamily = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace";

/** Marked important, because it must win over the values in the markup. */
export const styleSheet = [
  ':root{color-scheme:light dark}',
  '@media (prefers-color-scheme:dark){',
  `body,td{background:${dark.paper}!important}`,
  `.ink{color:${dark.ink}!important}`,
  `.quiet{color:${dark.quiet}!important}`,
  `.accent{color:${dark.accent}!important}`,
  `.button{background:${dark.accent}!important;color:${dark.onAccent}!important}`,
  `.rule{border-color:${dark.hairline}!important}`,
  `.mark{border-color:${dark.ink}!important}`,
  // Stronger than the rule for all cells.
  `td.bar{background:${dark.quiet}!important}`,
  `td.track{background:${dark.hairline}!important}`,
  '}',
].join('');
