import * as fc from 'fast-check';
import { readScenario } from '../replay/recording.ts';

/** A request as bytes of head and body, to be written to a socket. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const TOKENS = { 'X-Algo-API-Token': 'a'.repeat(64) };
const SEEDS = [
  'rest-transport',
  'rest-accounts',
  'rest-assets',
  'rest-blocks',
  'rest-pending',
  'rest-admin',
  'rest-devmode',
];
const BODIES = [
  'tx-types',
  'tx-multisig',
  'tx-asset-admin',
  'codec-lenient',
  'sim-json',
  'sim-options',
  'async-basic',
  'tx-appl',
];
const MAX_BODY = 100_000;

/** Requests that algod was really sent, without the waiting ones: what mutations start from. */
function corpus(): RawRequest[] {
  return [...SEEDS, ...BODIES].flatMap((name) =>
    readScenario('payments', name)
      .exchanges.filter(({ request }) => !request.bodyRepeat && !request.path.includes('wait-for-block'))
      .map(({ request }) => ({
        method: request.method,
        path: request.path,
        headers: { ...request.headers },
        body: Buffer.from(request.bodyBase64 ?? '', 'base64'),
      })),
  );
}

const ODD_TEXTS = [
  '',
  '0',
  '-1',
  '1.5',
  '18446744073709551615',
  '18446744073709551616',
  '9'.repeat(400),
  '%00',
  '%2F',
  '%zz',
  '%F0%9F%98%80',
  '..',
  '__proto__',
  'constructor',
  'A'.repeat(58),
  'a'.repeat(5000),
  '1&format=msgpack',
  '*',
  ';',
  '\u00ff\u00fe',
];

type Edit = (request: RawRequest) => RawRequest;

const position = fc.nat({ max: 0xffff });

const pathEdit: fc.Arbitrary<Edit> = fc
  .tuple(position, fc.constantFrom(...ODD_TEXTS))
  .map(([at, text]) => (request) => {
    const parts = request.path.split(/(?<=[/?&=])/);
    const index = at % parts.length;
    const separator = /[/?&=]$/.exec(parts[index] ?? '')?.[0] ?? '';
    return { ...request, path: `/${parts.with(index, text + separator).join('')}`.replace(/^\/\//, '/') };
  });

const queryEdit: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.constantFrom(
      'format',
      'max',
      'exclude',
      'limit',
      'next',
      'header-only',
      'hashtype',
      'pretty',
      'round',
      'name',
      'rounds',
    ),
    fc.constantFrom('json', 'msgpack', 'true', 'all', '2', ...ODD_TEXTS),
  )
  .map(([name, value]) => (request) => {
    const path = `${request.path}${request.path.includes('?') ? '&' : '?'}${name}=${value}`;
    return { ...request, path };
  });

const methodEdit: fc.Arbitrary<Edit> = fc
  .constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS')
  .map((method) => (request) => ({ ...request, method }));

const headerEdit: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.constantFrom('Authorization', 'Accept-Encoding', 'Origin', 'Content-Type', 'X-Algo-API-Token', 'Accept'),
    fc.constantFrom('gzip', 'Bearer', 'bearer x', 'null', 'application/msgpack', 'b'.repeat(64), 'a'.repeat(64), ''),
  )
  .map(([name, value]) => (request) => ({ ...request, headers: { ...request.headers, [name]: value } }));

const byteEdit: fc.Arbitrary<Edit> = fc
  .tuple(position, fc.nat({ max: 255 }), fc.constantFrom('set', 'insert', 'delete', 'cut', 'double', 'marker'))
  .map(([at, byte, kind]) => (request) => ({ ...request, body: editBytes(request.body, { at, byte, kind }) }));

// First bytes of msgpack's lists, maps, long texts and numbers: where a decoder's lengths come from.
const MARKERS = [0x80, 0x8f, 0x90, 0x9f, 0xc0, 0xc1, 0xc4, 0xc6, 0xca, 0xcf, 0xd3, 0xd9, 0xdb, 0xdd, 0xdf, 0xff];

interface ByteEdit {
  readonly at: number;
  readonly byte: number;
  readonly kind: 'set' | 'insert' | 'delete' | 'cut' | 'double' | 'marker';
}

function editBytes(body: Buffer, { at, byte, kind }: ByteEdit): Buffer {
  const index = body.length === 0 ? 0 : at % body.length;
  const before = body.subarray(0, index);
  const after = body.subarray(index + 1);
  const edited: Record<ByteEdit['kind'], readonly Uint8Array[]> = {
    set: [before, Buffer.of(byte), after],
    marker: [before, Buffer.of(MARKERS[byte % MARKERS.length] ?? 0), after],
    insert: [before, Buffer.of(byte), body.subarray(index)],
    delete: [before, after],
    cut: [before],
    double: [body, before],
  };
  return Buffer.concat(edited[kind]).subarray(0, MAX_BODY);
}

// Good values of path parameters: what mutations of a route start from.
const GOOD_VALUES: Readonly<Record<string, string>> = {
  address: 'QJTBOVNTJ3A667ZK6QEVEQYBWFRKJFY7GOMY2Y2MHOB6R5NCMVTBWUALB4',
  txid: 'QSOIUOOTR67XWM6QV6WCWWE32XM7DGWKOTWZ7JJXW2QSXNNINUFQ',
  id: 'QSOIUOOTR67XWM6QV6WCWWE32XM7DGWKOTWZ7JJXW2QSXNNINUFQ',
  'participation-id': 'QSOIUOOTR67XWM6QV6WCWWE32XM7DGWKOTWZ7JJXW2QSXNNINUFQ',
};

/** One good request for each route of the node's own description. Left out: waiting takes a minute, events never end. */
export function routeRequests(swagger: { readonly paths: Readonly<Record<string, object>> }): RawRequest[] {
  return Object.entries(swagger.paths)
    .filter(([path]) => !path.includes('wait-for-block') && path !== '/dev/events')
    .flatMap(([template, operations]) => {
      const path = template.replaceAll(/\{([\w-]+)\}/g, (_, name: string) => GOOD_VALUES[name] ?? '1');
      return Object.keys(operations).map((method) => {
        const query = path.startsWith('/dev/') ? '?rounds=2&amount=5&asset-id=1' : '';
        return { method: method.toUpperCase(), path: path + query, headers: {}, body: Buffer.alloc(0) };
      });
    });
}

/** A recorded request, or one of `others`, with a few things about it changed. */
export function mutatedRequest(others: readonly RawRequest[]): fc.Arbitrary<RawRequest> {
  const requests = [...corpus(), ...others, ...others, ...others];
  const edit = fc.oneof(
    { weight: 4, arbitrary: byteEdit },
    { weight: 2, arbitrary: pathEdit },
    { weight: 2, arbitrary: queryEdit },
    { weight: 1, arbitrary: headerEdit },
    { weight: 1, arbitrary: methodEdit },
  );
  return fc
    .tuple(fc.nat({ max: requests.length - 1 }), fc.array(edit, { minLength: 1, maxLength: 5 }))
    .map(([index, edits]) => edits.reduce((request, apply) => apply(request), withToken(requests[index])));
}

function withToken(request: RawRequest | undefined): RawRequest {
  const seed = request ?? { method: 'GET', path: '/health', headers: {}, body: Buffer.alloc(0) };
  return { ...seed, headers: { ...TOKENS, ...seed.headers } };
}
