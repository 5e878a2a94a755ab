import { createHash } from 'node:crypto';
import type { DocumentedOperation, OpenApiDocument } from './document.ts';

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
code,pre{font-family:ui-monospace,monospace;font-size:.9em}
pre{overflow-x:auto;padding:.75rem;border:1px solid #8886;border-radius:.25rem}
section{border-top:1px solid #8886;padding-top:.5rem}
th,td{text-align:left;vertical-align:top;padding:.15rem 1rem .15rem 0}`;

/** The page may do nothing but show itself. */
export const DOCS_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The document as a page without scripts and external content. */
export function docsPage({ info, paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationSection(`${method.toUpperCase()} ${path}`, operation),
    ),
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<section id="${name}"><h3><code>${name}</code></h3>${json(schema)}</section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(info.title)}</title><style>${STYLE}</style></head><body>
<h1>${escaped(info.title)}</h1>
<p>${escaped(info.description)} Version ${escaped(info.version)}. For programs: <a href="/openapi.json">openapi.json</a>.</p>
<main>${operations.join('\n')}
<h2>Messages</h2>
${schemas.join('\n')}</main>
</body></html>
`;
}

function operationSection(title: string, operation: DocumentedOperation): string {
  const { summary, parameters, requestBody, responses, security } = operation;
  const rows = parameters.map(
    ({ name, in: where, required, description = '', schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${where}${required ? ', required' : ''}</td><td>${escaped(description || JSON.stringify(schema))}</td></tr>`,
  );
  const answers = Object.entries(responses).map(
    ([status, { description, content }]) =>
      `<tr><td>${status}</td><td>${escaped(description)}</td><td>${messageLinks(content)}</td></tr>`,
  );
  return `<section><h2><code>${escaped(title)}</code></h2><p>${escaped(summary)}.${security === undefined ? '' : ' Needs a key where callers have keys.'}</p>
${requestBody === undefined ? '' : `<p>Body: ${messageLinks(requestBody)}</p>`}
<table>${rows.join('')}</table><table>${answers.join('')}</table></section>`;
}

/** Links to the messages that a part of the document refers to, and its media types. */
function messageLinks(part: object = {}): string {
  const text = JSON.stringify(part);
  const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => name);
  const media = [...text.matchAll(/"(text\/\w+)"/g)].map(([, type = '']) => escaped(type));
  return [...names.map((name) => `<a href="#${name}"><code>${name}</code></a>`), ...media].join(', ');
}

function json(value: object): string {
  return `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
