import type { RequestFacts } from '../request/request-facts.ts';
import type { Reply } from '../response/reply.ts';

/** Lets people pay with their wallets on the page: `payingPage()` of `@avm402/paying-page`. */
export interface PayingPage {
  /** Files that the page loads from the seller, by name. A name changes with its content. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Name of the script that the page starts. */
  readonly entry: string;
  /** Added to the page's style. */
  readonly style: string;
  /** Facts for the script about the offered networks, and the other origins that it may then connect to. */
  on(networks: readonly string[]): PageNetworks;
}

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array;
  /** The body, compressed by gzip. */
  readonly zipped: Uint8Array;
  /** Its Content-Security-Policy, in place of the app's. */
  readonly policy?: string;
}

export interface PageNetworks {
  /** Sources of a Content-Security-Policy's `connect-src`. */
  readonly connect: readonly string[];
  /** Goes into the page as JSON. */
  readonly settings: unknown;
}

const FOLDER = '/.avm402/page/';
const FILE = /\/\.avm402\/page\/([\w.-]+)$/;
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i;

/** The path under which a page finds its files: beside the paths that its seller's middleware charges for. */
export function pageFolder({ path, mountedPath }: RequestFacts, publicUrl: string | undefined): string {
  const prefix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  const mount = path.endsWith(mountedPath) ? path.slice(0, path.length - mountedPath.length) : '';
  // After two slashes a browser would read a host, and load the script from there.
  return `${prefix}${mount}${FOLDER}`.replace(/^[/\\]+/, '/');
}

/** The answer to a request for a file of the page; undefined if it is for something else. */
export function pageFileReply({ files }: PayingPage, request: RequestFacts): Reply | undefined {
  const [, name = ''] = FILE.exec(request.path) ?? [];
  const file = files.get(name);
  if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined;
  const isZipped = TAKES_GZIP.test(request.header('accept-encoding') ?? '');
  return {
    status: 200,
    headers: {
      'Content-Type': file.type,
      ...(file.policy !== undefined && { 'Content-Security-Policy': file.policy }),
      ...(isZipped && { 'Content-Encoding': 'gzip' }),
      Vary: 'Accept-Encoding',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    },
    body: isZipped ? file.zipped : file.body,
  };
}
