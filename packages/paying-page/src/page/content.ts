import { element } from './element.ts';

/** Shows what was paid for, as a browser would. `frame`: URL of an empty page with the seller's own policy. */
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

/** HTML has a document of its own: this one's policy lets none of its scripts and pictures in. */
function framed(html: string, src: string): HTMLElement {
  const frame = element('iframe', { title: 'What was paid for', src });
  const fill = (): void => {
    const inner = frame.contentDocument;
    if (!inner) return;
    // Opened by this document, it takes over its URL, so that relative links lead where they should.
    inner.open();
    inner.write(html);
    inner.close();
  };
  frame.addEventListener('load', fill, { once: true });
  return frame;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function fileName(type: string): string {
  const name = location.pathname.split('/').pop() || 'content';
  const extension = /^\w+\/(?:.*\+)?(\w+)$/.exec(type)?.[1] ?? 'bin';
  return name.includes('.') ? name : `${name}.${extension}`;
}
