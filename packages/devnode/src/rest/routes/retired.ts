import type { Answer } from '../answer.ts';
import { pathText } from '../parameter.ts';
import { route, type Method, type Route } from '../route.ts';

const RETIRED: readonly (readonly [Method, string])[] = [
  ['GET', '/v1/status'],
  ['GET', '/v1/status/wait-for-block-after/:round'],
  ['GET', '/v1/transactions/pending'],
  ['GET', '/v1/transactions/pending/:txid'],
  ['GET', '/v1/transactions/params'],
  ['GET', '/v1/transactions/fee'],
  ['POST', '/v1/transactions'],
  ['GET', '/v1/transaction/:txid'],
  ['GET', '/v1/ledger/supply'],
  ['GET', '/v1/block/:round'],
  ['GET', '/v1/account/:address'],
  ['GET', '/v1/account/:address/transactions'],
  ['GET', '/v1/account/:address/transactions/pending'],
  ['GET', '/v1/account/:address/transaction/:txid'],
  ['GET', '/v1/asset/:index'],
  ['GET', '/v1/assets'],
];

const GONE: Answer = {
  status: 410,
  contentType: 'text/plain; charset=utf-8',
  body: 'v1 algod APIs are no longer available, please use the v2 algod API',
};

/** Routes of algod's first API: still known, but gone. */
export function retiredRoutes(): Route[] {
  return RETIRED.map(([method, path]) =>
    route({
      method,
      path,
      summary: 'Gone: a route of algod’s first interface.',
      parameters: Object.fromEntries(
        [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, pathText('Ignored.')]),
      ),
      handle: () => GONE,
    }),
  );
}
