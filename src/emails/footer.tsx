import { Hr } from '@react-email/hr';
import { Link } from '@react-email/link';
import { Text } from '@react-email/text';
import type { ReactElement } from 'react';
import { frame } from './frame.ts';
import { fontFamily, light } from './look.ts';
import type { Words } from './words.ts';

/** Why this mail came, and the way out of it. Nothing at all where there is nothing to say. */
export interface FooterProps {
  reason?: string | undefined;
  unsubscribeUrl: string | undefined;
  manageUrl?: string | undefined;
  /** Only in the text part: in the html it is the header. */
  platformUrl?: string | undefined;
}

export function Footer({ words, ...props }: FooterProps & { words: Words }): ReactElement | null {
  const { reason } = props;
  const links = linksOf(props, words);
  if (reason === undefined && links.length === 0) return null;
  return (
    <>
      <Rule />
      {reason === undefined ? null : <Reason>{reason}</Reason>}
      {links.map(({ label, url }) => (
        <FooterLink key={label} label={label} url={url} />
      ))}
    </>
  );
}

const small = {
  ...{ fontFamily, fontSize: '14px', lineHeight: '20px', color: light.quiet },
  ...{ marginTop: 0, marginBottom: '8px' },
} as const;

const Rule = frame([], () => (
  <Hr className="rule" style={{ borderTop: `1px solid ${light.hairline}`, margin: '32px 0 16px' }} />
));

const Reason = frame(['children'], ({ children }: { children: string }) => (
  <Text dir="auto" className="quiet" style={{ ...small, overflowWrap: 'anywhere', wordBreak: 'break-word' }}>
    {children}
  </Text>
));

const FooterLink = frame(['label', 'url'], ({ label, url }: { label: string; url: string }) => (
  <Text style={small}>
    <Link href={url} className="accent" style={{ color: light.accent, textDecorationLine: 'underline' }}>
      {label}
    </Link>
  </Text>
));

/** The same in the text part, parted from the letter by a line. Not `-- `: programs hide what follows that. */
export function footerText(props: FooterProps, words: Words): string | undefined {
  const lines = linksOf(props, words).map(({ label, url }) => `${label}${words.colon}${url}`);
  const { reason, platformUrl } = props;
  const said = [reason, ...lines, platformUrl].filter((one) => one !== undefined);
  return said.length === 0 ? undefined : ['----', ...said].join('\n');
}

function linksOf({ unsubscribeUrl, manageUrl }: FooterProps, words: Words): { label: string; url: string }[] {
  return [
    ...(unsubscribeUrl === undefined ? [] : [{ label: words.unsubscribe, url: unsubscribeUrl }]),
    ...(manageUrl === undefined ? [] : [{ label: words.manage, url: manageUrl }]),
  ];
}
