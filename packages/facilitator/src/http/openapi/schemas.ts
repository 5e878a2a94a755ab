import { type MessageName, messageSchemas } from '@avm402/core/message-schemas';
import * as z from 'zod';
import { NOT_LISTED, type NotListed } from '../../discovery/not-listed.ts';
import { PROBLEM_CODES } from '../../observe/readiness.ts';
import { SETTLEMENT_STATES } from '../../settlement/settlement.ts';

const reference = (name: string): string => `#/components/schemas/${name}`;

/** A message of the protocol, whose own schema is generated from its parser. */
const message = (name: MessageName) => z.unknown().meta({ $ref: reference(name) });

const paymentRequirements = message('PaymentRequirements');

const text = z.string();
const count = z.int().min(0);
const txId = z.string().regex(/^[A-Z2-7]{52}$/);
const units = z.string().regex(/^\d+$/);
const time = z.iso.datetime();

const code = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/)
  .meta({ description: 'A code of docs/errors.md' });

const refused = z.strictObject({ error: code, message: text });

const facilitatorRequest = z.looseObject({
  x402Version: z.int().optional(),
  paymentPayload: message('PaymentPayload'),
  paymentRequirements,
});

const settlementStatus = z.strictObject({
  transaction: txId,
  network: text,
  state: z.enum(SETTLEMENT_STATES),
  final: z.boolean(),
  payer: text,
  lastValid: count,
  confirmedRound: count.optional(),
  errorReason: code.optional(),
});

const alive = z.strictObject({ status: z.literal('ok') });

const sponsorReadiness = z.strictObject({
  address: text,
  offered: z.boolean(),
  microAlgos: units.optional(),
  paymentsLeft: count.optional(),
});

const readiness = z.strictObject({
  status: z.enum(['ready', 'degraded', 'not_ready']),
  problems: z.array(z.strictObject({ code: z.enum(PROBLEM_CODES), network: text.optional() })),
  networks: z.array(
    z.strictObject({
      network: text,
      round: count,
      secondsSinceRound: count,
      nodes: z.strictObject({ total: count, connected: count, behind: count }),
      sponsors: z.array(sponsorReadiness),
    }),
  ),
  store: z.strictObject({ writable: z.boolean() }),
  settlements: z.strictObject({ pending: count, oldestPendingSeconds: count, refused: count }),
});

const ledgerEntry = z.strictObject({
  recordedAt: time,
  transaction: txId,
  network: text,
  state: z.enum(SETTLEMENT_STATES),
  asset: units,
  amount: units,
  payer: text,
  payTo: text,
  feePayer: text.optional(),
  sponsoredFee: units.optional(),
  confirmedRound: units.optional(),
  errorReason: code.optional(),
  channel: text.optional(),
  channelMove: text.optional(),
});

const ledgerTotal = z.strictObject({
  day: z.iso.date(),
  network: text,
  asset: units,
  channelMove: text.optional(),
  settlements: units,
  amount: units,
  sponsoredFee: units,
});

const resource = z.looseObject({
  resource: z.url(),
  type: z.enum(['http', 'mcp']),
  x402Version: count,
  accepts: z.array(paymentRequirements),
  lastUpdated: time,
  extensions: z.looseObject({ seller: z.object({ info: z.object({ isListed: z.boolean() }) }) }),
});

const reasons = Object.keys(NOT_LISTED) as [NotListed, ...NotListed[]];

/** The messages of this interface that no other package defines, by their names in the document. */
const SCHEMAS = {
  Error: refused,
  FacilitatorRequest: facilitatorRequest,
  SettlementStatus: settlementStatus,
  Alive: alive,
  Readiness: readiness,
  LedgerEntry: ledgerEntry,
  LedgerPage: z.strictObject({ settlements: z.array(ledgerEntry), cursor: text.optional() }),
  LedgerTotal: ledgerTotal,
  LedgerTotals: z.strictObject({ totals: z.array(ledgerTotal) }),
  Resource: resource,
  ResourcePage: z.strictObject({
    x402Version: count,
    items: z.array(resource),
    pagination: z.strictObject({ limit: count, offset: count, total: count }),
  }),
  ResourceSearch: z.strictObject({
    x402Version: count,
    resources: z.array(resource),
    pagination: z.strictObject({ limit: count, cursor: text.nullable() }),
  }),
  Explanation: z.union([
    z.strictObject({ url: text, listed: z.literal(true), resources: z.array(resource) }),
    z.strictObject({ url: text, listed: z.literal(false), reason: z.enum(reasons), message: text }),
  ]),
} as const;

export type SchemaName = MessageName | keyof typeof SCHEMAS;

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });

/** The schemas as JSON Schema, in the form that the document has. */
export function componentSchemas(): Readonly<Record<string, object>> {
  const { schemas } = z.toJSONSchema(registry, { uri: reference });
  const all = Object.entries({ ...messageSchemas(reference), ...schemas });
  return Object.fromEntries(all.map(([name, schema]) => [name, withoutNames(schema)]));
}

/** Removes `$schema` and `$id`: the document names its dialect and each schema itself. */
function withoutNames(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema' && name !== '$id'));
}

export interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: unknown;
}

/** The parameters of a query, as they are sent. */
export function queryParameters(query: z.ZodObject): readonly DocumentedParameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}
