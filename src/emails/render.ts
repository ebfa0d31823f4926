/**
 * Templates: from named props to subject, html and text, once per round; the result is frozen and never rendered
 * again. Values from outside are escaped here and nowhere else.
 */
export type Rendered =
  | { ok: true; subject: string; html: string; text: string; templateVersion: string }
  | { ok: false; code: 'missing_template' | 'missing_variable'; sentence: string };

interface Template {
  version: string;
  variables: readonly string[];
  render(values: Readonly<Record<string, string>>): { subject: string; html: string; text: string };
}

const templates: Readonly<Record<string, Template>> = {
  plain: {
    version: 'v1',
    variables: ['subject', 'text'],
    render: ({ subject = '', text = '' }) => ({ subject, text, html: paragraphs(text) }),
  },
};

export function render(name: string, props: Readonly<Record<string, unknown>>): Rendered {
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (!template) {
    return {
      ok: false,
      code: 'missing_template',
      sentence: `There is no template named ${JSON.stringify(name)}.`,
    };
  }
  const values: Record<string, string> = {};
  for (const variable of template.variables) {
    const value = Object.hasOwn(props, variable) ? props[variable] : undefined;
    if (typeof value !== 'string' || value === '') {
      return {
        ok: false,
        code: 'missing_variable',
        sentence: `The template ${name} needs the text ${variable}.`,
      };
    }
    values[variable] = value;
  }
  return { ok: true, templateVersion: template.version, ...template.render(values) };
}

function paragraphs(text: string): string {
  const body = text
    .split(/\r?\n(?:\r?\n)+/)
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll(/\r?\n/g, '<br>')}</p>`)
    .join('\n');
  return [
    '<!doctype html><html><head><meta charset="utf-8"></head>',
    '<body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;max-width:600px;margin:24px auto">',
    body,
    '</body></html>',
  ].join('\n');
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
