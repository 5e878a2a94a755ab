import type { z } from 'zod';
import { explanationQuery, listingQuery, searchQuery } from '../../discovery/discovery-query.ts';
import { ledgerQuery } from '../ledger-query.ts';
import type { SchemaName } from './schemas.ts';

/** What one route is asked and answers. */
export interface Operation {
  /** As fastify writes it. */
  readonly route: string;
  readonly method: 'GET' | 'POST';
  readonly summary: string;
  /** Whose key it needs where callers have keys. */
  readonly needs?: 'caller' | 'operator';
  readonly body?: SchemaName;
  readonly query?: z.ZodObject;
  /** Names of request headers, and what they are for. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** Of JSON; absent: other media types only. */
  readonly schema?: SchemaName;
  /** Other media types of the answer. */
  readonly media?: readonly string[];
}

const REFUSED: readonly Answer[] = [
  { status: 401, description: 'A key is needed, and there is none that is known', schema: 'Error' },
  { status: 403, description: 'The key is for other receivers, or not an operator’s', schema: 'Error' },
];
const INVALID: Answer = { status: 400, description: 'The request is none', schema: 'Error' };
const PAYMENT: Pick<Operation, 'method' | 'needs' | 'body'> = {
  method: 'POST',
  needs: 'caller',
  body: 'FacilitatorRequest',
};

/** Every route of the facilitator. */
export const OPERATIONS: readonly Operation[] = [
  {
    ...PAYMENT,
    route: '/verify',
    summary: 'Whether a payment would settle now',
    answers: [
      { status: 200, description: 'The verdict; a refusal is one, too', schema: 'VerifyResponse' },
      INVALID,
      ...REFUSED,
    ],
  },
  {
    ...PAYMENT,
    route: '/settle',
    summary: 'Settles a payment once, however often it is asked to',
    headers: { 'Idempotency-Key': '16 to 255 printable characters: a repeated request gets the recorded answer' },
    answers: [
      {
        status: 200,
        description: 'The outcome; a refusal is one, too, and so is settlement_pending',
        schema: 'SettleResponse',
      },
      INVALID,
      ...REFUSED,
    ],
  },
  {
    route: '/supported',
    method: 'GET',
    summary: 'Schemes, networks and fee payers',
    answers: [{ status: 200, description: 'What is served', schema: 'SupportedResponse' }],
  },
  {
    route: '/settlements/:txId',
    method: 'GET',
    summary: 'What is recorded of a payment',
    answers: [
      { status: 200, description: 'Its state', schema: 'SettlementStatus' },
      { status: 404, description: 'Nothing is recorded', schema: 'Error' },
    ],
  },
  {
    route: '/settlements',
    method: 'GET',
    summary: 'The ledger, from the latest settlement to the first',
    needs: 'caller',
    query: ledgerQuery,
    answers: [{ status: 200, description: 'A page', schema: 'LedgerPage', media: ['text/csv'] }, INVALID, ...REFUSED],
  },
  {
    route: '/settlements/totals',
    method: 'GET',
    summary: 'Sums of what was confirmed, by day, network and asset',
    needs: 'caller',
    query: ledgerQuery,
    answers: [
      { status: 200, description: 'The sums', schema: 'LedgerTotals', media: ['text/csv'] },
      INVALID,
      ...REFUSED,
    ],
  },
  {
    route: '/discovery/resources',
    method: 'GET',
    summary: 'The catalogue of what was sold',
    query: listingQuery,
    answers: [{ status: 200, description: 'A page', schema: 'ResourcePage' }, INVALID],
  },
  {
    route: '/discovery/search',
    method: 'GET',
    summary: 'Entries of the catalogue that have all words of a query',
    query: searchQuery,
    answers: [{ status: 200, description: 'What was found', schema: 'ResourceSearch' }, INVALID],
  },
  {
    route: '/discovery/why',
    method: 'GET',
    summary: 'Why a resource is or is not in the catalogue',
    query: explanationQuery,
    answers: [{ status: 200, description: 'The entries, or the reason', schema: 'Explanation' }, INVALID],
  },
  {
    route: '/health',
    method: 'GET',
    summary: 'Whether the process answers',
    answers: [{ status: 200, description: 'It does', schema: 'Alive' }],
  },
  {
    route: '/ready',
    method: 'GET',
    summary: 'Whether payments can be settled now',
    answers: [
      { status: 200, description: 'They can', schema: 'Readiness' },
      { status: 503, description: 'They can’t', schema: 'Readiness' },
    ],
  },
  {
    route: '/metrics',
    method: 'GET',
    summary: 'What is counted and measured',
    needs: 'operator',
    answers: [{ status: 200, description: 'In the text format of Prometheus', media: ['text/plain'] }, ...REFUSED],
  },
  {
    route: '/openapi.json',
    method: 'GET',
    summary: 'This document',
    answers: [{ status: 200, description: 'OpenAPI 3.1', media: ['application/json'] }],
  },
  {
    route: '/docs',
    method: 'GET',
    summary: 'This document for people',
    answers: [{ status: 200, description: 'A page', media: ['text/html'] }],
  },
];
