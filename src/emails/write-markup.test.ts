import { Button } from '@react-email/button';
import {
  Component,
  createContext,
  createElement,
  Fragment,
  forwardRef,
  memo,
  type ReactElement,
  type ReactNode,
  useId,
} from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { type Framed, frame } from './frame.ts';
import { createMarkup } from './markup.ts';
import { writeMarkup } from './write-markup.ts';

const inPage = (...children: ReactNode[]) =>
  createElement('html', { lang: 'en' }, createElement('head'), createElement('body', null, ...children));

describe('what is written is what React writes', () => {
  const passing = forwardRef<HTMLParagraphElement, { children: ReactNode }>(({ children }, ref) =>
    createElement('p', { ref, dir: 'auto' }, children),
  );
  const Twice = ({ children }: { children: string }) => [children, createElement('b', { key: 1 }, children)];
  test.each<[string, ReactElement]>([
    ['texts beside each other', inPage('a', 'b', 1, 0, '', null, undefined, true, false, ['c', ['d', -0.5]])],
    ['every sign that is escaped', inPage('&<>"\'&amp;', createElement('p', { className: '&<>"\'' }))],
    ['signs beyond ASCII, halves of characters, NUL', inPage('漢😀\ud800\0\u2028')],
    ['elements without content', inPage(createElement('br'), createElement('hr', { className: 'x' }))],
    ['components and fragments', inPage(createElement(Fragment, null, createElement(Twice, null, 'x<')))],
    ['a component that passes on a ref', inPage(createElement(passing, null, 'x'))],
    [
      'styles: numbers with and without a unit, prefixes, variables, what is not there',
      inPage(
        createElement('p', {
          style: {
            ...{ margin: 0, width: 3, lineHeight: 2, opacity: 0.5, msTransform: 'x', WebkitTransform: 'y' },
            ...{ '--own': 3, fontFamily: ' "A" ', color: undefined, background: '' },
          },
        }),
        createElement('p', { style: { color: undefined } }),
      ),
    ],
    [
      'markup of its own',
      inPage(createElement(Button, { href: 'https://a.example/', style: { padding: 3 } }, 'x')),
    ],
    ['a link', inPage(createElement('a', { href: 'HTTPS://a.example/?a&b="' }, 'x'))],
    [
      'a head, of which React moves a part to the beginning',
      createElement(
        'html',
        null,
        createElement(
          'head',
          null,
          createElement('style', null, 'p{color:"red"}a>b{}'),
          createElement('title', null, 'A & B'),
          createElement('meta', { name: 'a', content: '"' }),
          createElement('meta', { name: 'viewport', content: 'b' }),
        ),
      ),
    ],
  ])('%s', (_, element) => {
    expect(writeMarkup(element)).toBe(renderToStaticMarkup(element));
  });
});

describe('what only React knows is left to it', () => {
  class Old extends Component {
    override render() {
      return 'x';
    }
  }
  const { Provider } = createContext('');
  const script = ['java', 'script:alert(1)'].join('');
  const known: Record<string, ReactNode> = {
    'a hook': createElement(() => useId()),
    'a class': createElement(Old),
    'a memo': createElement(memo(() => 'x')),
    'a context': createElement(Provider, { value: 'x' }, 'y'),
    'an element that no mail has': createElement('svg', { viewBox: '0 0 1 1' }),
    'an attribute that no mail has': createElement('p', { hidden: true }),
    'a value that is no word': createElement('p', { 'aria-hidden': true }),
    'a script': createElement('a', { href: script }, 'x'),
    'an empty link': createElement('a', { href: '' }, 'x'),
    'a title outside of the head': createElement('title', null, 'x'),
    'a style sheet in the body': createElement('style', null, 'p{}'),
    'a list that is no array': new Set(['x', 'y']),
  };
  test.each(Object.entries(known))('%s', (_, node) => {
    const element = inPage(node);
    expect(writeMarkup(element)).toBeUndefined();
    const markup = createMarkup();
    expect(markup.of(element)).toBe(renderToStaticMarkup(element));
    expect(markup).toMatchObject({ made: 1, byReact: 1 });
  });

  test('a page without a head, which React gives one', () => {
    expect(writeMarkup(createElement('html', null, createElement('body')))).toBeUndefined();
  });

  test('what a component throws is thrown by React', () => {
    const element = createElement((): ReactElement => {
      throw new Error('no words');
    });
    expect(() => createMarkup().of(element)).toThrow('no words');
  });
});

interface Words {
  children?: ReactNode;
  url?: string;
  kind?: string;
}

/** All of a frame's mails, by both, in turn. */
function expectSame(framed: ((props: Words) => ReactNode) & Framed, ...all: Words[]): void {
  for (const props of all) {
    const element = inPage(createElement(framed, props));
    expect(writeMarkup(element)).toBe(renderToStaticMarkup(element));
  }
}

describe('a frame', () => {
  const box = () =>
    frame(['children', 'url'], ({ children, url, kind }: Words) =>
      createElement('div', { className: kind }, children ? createElement('b', null, children) : 'none', [
        url === undefined ? null : createElement('a', { key: 1, href: url }, url),
      ]),
    );

  test('is written once for all that may stand in its places', () => {
    const framed = box();
    expectSame(
      framed,
      { children: 'a' },
      { children: '<b>' },
      { children: [createElement('br', { key: 1 }), 'c'] },
    );
    expect(framed.parts.size).toBe(1);
    expect([...framed.parts.values()][0]).toEqual(['<div><b>', 'node', 'children', '</b></div>']);
  });

  test('a place may be used twice, as a text and as a link', () => {
    expectSame(
      box(),
      { children: 'a', url: 'https://a.example/?a&b' },
      { children: 'b', url: 'mailto:a@b.c' },
    );
  });

  test('what is empty, missing or no text decides about the markup', () => {
    expectSame(
      box(),
      { children: 'a' },
      { children: '' },
      {},
      { children: null },
      { children: false },
      { children: 0 },
    );
  });

  test('what is no place decides about the markup', () => {
    expectSame(
      box(),
      { kind: 'a' },
      { kind: 'b' },
      { kind: '' },
      { kind: '\0node children\0' },
      { kind: 'a' },
    );
  });

  test('a text that looks like the mark of a place is a text', () => {
    expectSame(box(), { children: 'a' }, { children: '\0node children\0' }, { children: '\0link url\0' });
  });

  test('a script in the place of a link is left to React', () => {
    const framed = box();
    expectSame(framed, { children: 'a', url: 'https://a.example/' });
    const url = ['java', 'script:alert(1)'].join('');
    expect(writeMarkup(inPage(createElement(framed, { url }, 'a')))).toBeUndefined();
  });

  test('of words that never end only so many are kept', () => {
    const framed = box();
    expectSame(framed, ...Array.from({ length: 300 }, (_, at) => ({ kind: `kind ${at}`, children: 'a' })));
    expect(framed.parts.size).toBe(200);
  });
});

describe('a frame that does not keep its promise', () => {
  test.each<[string, (text: string) => ReactNode]>([
    ['changes a text', (text) => text.toUpperCase()],
    ['puts a text together with another', (text) => `${text}!`],
    ['adds to a text', (text) => text + text],
    ['takes a text apart', (text) => [...text].reverse().join('')],
    ['takes it for a number', (text) => Number(text)],
  ])('and %s is called for each mail', (_, change) => {
    const framed = frame(['children'], ({ children }: Words) =>
      createElement('p', null, change(children as string)),
    );
    expectSame(framed, { children: 'one' }, { children: 'two <' });
    expect([...framed.parts.values()]).toEqual([null]);
  });

  test('and compares a text is found out by a mail that shows it, and the template is left to React for good', () => {
    const sly = frame(['children'], ({ children }: Words) =>
      createElement('p', null, children === 'TBA' ? 'not known' : children),
    );
    const markup = createMarkup();
    const of = (text: string) => markup.of(inPage(createElement(sly, null, text)));
    expect(of('one')).toContain('one');
    expect(of('TBA')).toContain('not known');
    expect(of('two')).toContain('two');
    expect(of('TBA')).toContain('not known');
    expect(markup).toMatchObject({ made: 4, byReact: 3 });
  });
});

test('the first mails are compared with what React makes of them, and then no more', () => {
  let asked = 0;
  const Counted = () => {
    asked += 1;
    return 'x';
  };
  const markup = createMarkup();
  for (let mail = 0; mail < 20; mail++) markup.of(inPage(createElement(Counted)));
  expect(asked).toBe(28);
  expect(markup).toMatchObject({ made: 20, byReact: 0 });
});
