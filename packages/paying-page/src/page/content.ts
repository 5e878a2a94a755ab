import { SANDBOX } from '../page-facts.ts';
import { element } from './element.ts';

/** Shows the paid response as a browser would. `frame` is the URL of the page that shows HTML. */
export async function contentOf(response: Response, frame: string): Promise<readonly HTMLElement[]> {
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const body = await response.blob();
  const save = element('a', { href: URL.createObjectURL(body), download: fileName(type) }, 'Save it as a file');
  const isAttached = response.headers.get('content-disposition')?.startsWith('attachment') === true;
  const shown = isAttached ? undefined : await shownAs(type, body, frame);
  return shown ? [shown, save] : [save];
}

async function shownAs(type: string, body: Blob, frame: string): Promise<HTMLElement | undefined> {
  if (type === 'text/html') return framed(await body.text(), frame);
  if (/^application\/(?:.*\+)?json$/.test(type)) return element('pre', {}, indented(await body.text()));
  if (type.startsWith('text/')) return element('pre', {}, await body.text());
  const url = (): string => URL.createObjectURL(body);
  if (type.startsWith('image/')) return element('img', { src: url(), alt: 'What was paid for' });
  if (type.startsWith('audio/')) return element('audio', { src: url(), controls: '' });
  if (type.startsWith('video/')) return element('video', { src: url(), controls: '' });
  return undefined;
}

/** HTML gets its own document, because this page's policy would block its scripts and pictures. */
function framed(html: string, src: string): HTMLElement {
  const frame = element('iframe', { title: 'What was paid for', src, sandbox: SANDBOX });
  // The frame has no origin to name, but its window is known.
  frame.addEventListener('load', () => frame.contentWindow?.postMessage(withBase(html), '*'), { once: true });
  return frame;
}

/** HTML with a base, so that relative links work whatever the URL of its frame. */
function withBase(html: string): string {
  if (/<base\s/i.test(html)) return html;
  const base = element('base', { href: location.href }).outerHTML;
  return html.replace(/^(?:\s|<!--.*?-->)*(?:<!doctype[^>]*>)?/is, (start) => start + base);
}

/** JSON with line breaks, unless a parser would change what was paid for: it rounds long numbers. */
export function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, undefined, 2) : text;
  } catch {
    return text;
  }
}

function fileName(type: string): string {
  const name = location.pathname.split('/').pop() || 'content';
  const extension = /^\w+\/(?:.*\+)?(\w+)$/.exec(type)?.[1] ?? 'bin';
  return name.includes('.') ? name : `${name}.${extension}`;
}
