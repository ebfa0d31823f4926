import { Body } from '@react-email/body';
import { Button } from '@react-email/button';
import { Container } from '@react-email/container';
import { Head } from '@react-email/head';
import { Heading } from '@react-email/heading';
import { Html } from '@react-email/html';
import { Link } from '@react-email/link';
import { Text } from '@react-email/text';
import type { ReactElement, ReactNode } from 'react';
import { frame } from './frame.ts';
import { fontFamily, light, monoFamily, styleSheet } from './look.ts';
import type { Words } from './words.ts';

/**
 * The page that every mail is written on: a column of 600 px that folds to 320, and the few things that stand in it. What is
 * written by others has `dir="auto"`, so that it runs in its own direction and does not turn round its neighbours.
 */
export function Layout({ words, ...page }: LayoutProps): ReactElement {
  return <Page locale={words.locale} {...page} />;
}

const Page = frame(['title', 'preheader', 'children'], (props: PageProps): ReactElement => {
  const { title, preheader, locale, children } = props;
  return (
    <Html lang={locale}>
      <Head>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{title}</title>
        <style>{styleSheet}</style>
      </Head>
      <Body style={{ backgroundColor: light.paper, margin: 0, padding: '32px 20px' }}>
        {preheader === undefined ? null : <Preheader>{preheader}</Preheader>}
        <Container style={{ maxWidth: '560px' }}>{children}</Container>
      </Body>
    </Html>
  );
});

interface PageProps {
  title: string;
  /** What the list of mails shows after the subject. */
  preheader?: string | undefined;
  locale: Words['locale'];
  children: ReactNode;
}

interface LayoutProps extends Omit<PageProps, 'locale'> {
  words: Words;
}

/** Hidden from the page. What fills it up keeps the list from going on with the first words of the mail. */
function Preheader({ children }: { children: string }): ReactElement {
  const hidden = {
    display: 'none',
    overflow: 'hidden',
    lineHeight: '1px',
    maxHeight: 0,
    maxWidth: 0,
    opacity: 0,
  };
  return (
    <div style={hidden}>
      {children}
      {'\u00a0\u200c'.repeat(100)}
    </div>
  );
}

/** Whose mail it is, as a link that says where it goes; and whether it is only looked at. */
export function Header({ platformUrl, isPreview, words }: HeaderProps): ReactElement | null {
  if (platformUrl === undefined && !isPreview) return null;
  return (
    <>
      {isPreview ? <PreviewMark>{words.preview}</PreviewMark> : null}
      {platformUrl === undefined ? null : <Platform url={platformUrl}>{placeOf(platformUrl)}</Platform>}
    </>
  );
}

interface HeaderProps {
  platformUrl: string | undefined;
  isPreview: boolean;
  words: Words;
}

const PreviewMark = frame(['children'], ({ children }: { children: string }) => {
  const border = { border: `1px dashed ${light.ink}`, padding: '4px 12px' };
  return (
    <Text className="quiet mark" style={{ ...small, ...border, marginTop: 0, marginBottom: '16px' }}>
      {children}
    </Text>
  );
});

const Platform = frame(['url', 'children'], ({ url, children }: { url: string; children: string }) => (
  <Text style={{ ...small, marginTop: 0, marginBottom: '16px' }}>
    <Link href={url} className="quiet" style={{ color: light.quiet, textDecorationLine: 'underline' }}>
      {children}
    </Link>
  </Text>
));

/** The host; of an address that has none, the whole of it. */
function placeOf(url: string): string {
  return new URL(url).host || url;
}

export const foldable = { overflowWrap: 'anywhere', wordBreak: 'break-word' } as const;
export const reading = {
  fontFamily,
  fontSize: '16px',
  lineHeight: '24px',
  color: light.ink,
  ...foldable,
} as const;
const small = { ...foldable, fontFamily, fontSize: '14px', lineHeight: '20px', color: light.quiet } as const;

export const Title = frame(
  ['children'],
  ({ children, below = '16px' }: { children: string; below?: string }) => {
    const style = {
      ...reading,
      fontSize: '20px',
      lineHeight: '28px',
      fontWeight: 600,
      margin: `0 0 ${below}`,
    };
    return (
      <Heading dir="auto" className="ink" style={style}>
        {children}
      </Heading>
    );
  },
);

/** Above a part of a mail. */
export const Subtitle = frame(['children'], ({ children }: { children: string }) => (
  <Heading as="h2" dir="auto" className="ink" style={{ ...reading, fontWeight: 600, margin: '32px 0 8px' }}>
    {children}
  </Heading>
));

/** Small, below or above what matters more. */
export function Note({ children, below = '16px' }: { children: string; below?: string }): ReactElement {
  return <NoteBox below={below}>{linesOf(children)}</NoteBox>;
}

const NoteBox = frame(['children'], ({ children, below }: { children: ReactNode; below: string }) => (
  <Text dir="auto" className="quiet" style={{ ...small, marginTop: 0, marginBottom: below }}>
    {children}
  </Text>
));

/** Text of several paragraphs as it was typed: blank lines part them, line breaks and runs of spaces stay. */
export function Paragraphs({ children: text }: { children: string }): ReactElement {
  const paragraphs: ReactElement[] = [];
  for (const paragraph of text.split(/\n(?:[ \t]*\n)+/)) {
    paragraphs.push(<Paragraph key={paragraphs.length}>{linesOf(paragraph)}</Paragraph>);
  }
  return <>{paragraphs}</>;
}

const Paragraph = frame(['children'], ({ children }: { children: ReactNode }) => {
  const style = { ...reading, whiteSpace: 'pre-wrap', marginTop: 0, marginBottom: '16px' } as const;
  return (
    <Text dir="auto" className="ink" style={style}>
      {children}
    </Text>
  );
});

function linesOf(text: string): ReactNode[] {
  const lines: ReactNode[] = [];
  for (const line of text.split('\n')) {
    if (lines.length > 0) lines.push(<br key={lines.length} />);
    lines.push(line);
  }
  return lines;
}

/** A small label, and below it what it is about. A warning has a bar at its side, so that it is seen without a colour. */
export function Fact({ label, children, isWarning = false }: FactProps<string>): ReactElement {
  return (
    <FactBox label={label} isWarning={isWarning}>
      {linesOf(children)}
    </FactBox>
  );
}

const FactBox = frame(['label', 'children'], ({ label, children, isWarning }: FactProps<ReactNode>) => {
  const bar = isWarning ? { borderLeft: `3px solid ${light.ink}`, paddingLeft: '12px' } : {};
  const value = { ...reading, ...bar, whiteSpace: 'pre-wrap', marginTop: 0, marginBottom: '16px' } as const;
  const weight = isWarning ? { color: light.ink, fontWeight: 600 } : {};
  const labelled = { ...small, ...bar, ...weight, marginTop: 0, marginBottom: 0 };
  return (
    <>
      <Text className={isWarning ? 'ink mark' : 'quiet'} style={labelled}>
        {label}
      </Text>
      <Text dir="auto" className={isWarning ? 'ink mark' : 'ink'} style={value}>
        {children}
      </Text>
    </>
  );
});

interface FactProps<Children> {
  label: string;
  children: Children;
  isWarning?: boolean;
}

/** The one thing to do, and below it where that leads. */
export const Action = frame(['label', 'url'], ({ label, url }: { label: string; url: string }) => {
  const button = {
    ...reading,
    backgroundColor: light.accent,
    borderRadius: '6px',
    color: light.onAccent,
    fontWeight: 600,
    paddingTop: '12px',
    paddingRight: '20px',
    paddingBottom: '12px',
    paddingLeft: '20px',
  };
  const address = {
    ...foldable,
    fontFamily: monoFamily,
    fontSize: '12px',
    lineHeight: '16px',
    marginTop: 0,
    marginBottom: '16px',
  };
  return (
    <>
      <Text style={{ ...reading, marginTop: '24px', marginBottom: '12px' }}>
        <Button href={url} dir="auto" className="button" style={button}>
          {label}
        </Button>
      </Text>
      <Text style={address}>
        <Link href={url} className="quiet" style={{ color: light.quiet, textDecorationLine: 'underline' }}>
          {url}
        </Link>
      </Text>
    </>
  );
});
