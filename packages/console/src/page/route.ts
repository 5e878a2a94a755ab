import { useEffect, useState } from 'preact/hooks';

/** The part of the address after `#/`: a view, the item that it shows, and choices. Every view can be linked to. */
export interface Route {
  readonly view: string;
  readonly id: string;
  readonly query: URLSearchParams;
}

/** The address bar's route, updated when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return parseRoute(hash);
}

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', ...id] = path.split('/');
  return { view: view || 'payments', id: decode(id.join('/')), query: new URLSearchParams(query) };
}

/** The link to a view; empty choices are left out. */
export function linkTo(view: string, id: string | number | bigint = '', choices: Record<string, string> = {}): string {
  const chosen = new URLSearchParams(Object.entries(choices).filter(([, value]) => value !== ''));
  const query = chosen.size > 0 ? `?${chosen}` : '';
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(String(id))}`}${query}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
