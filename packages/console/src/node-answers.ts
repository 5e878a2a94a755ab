import * as z from 'zod';

/** A whole number of up to 64 bits; text where JSON can't hold it exactly. */
export type Units = number | string;

const whole = z.int().min(0);
const units: z.ZodType<Units> = z.union([whole, z.string().regex(/^\d{1,20}$/)]);
const text = z.string();
const bytes = z.base64();
const present = z.object({});

/** A transaction in algod's JSON: fields have their wire names, and fields that are zero are absent. */
const transaction = z.object({
  type: text,
  snd: text,
  fee: units.optional(),
  fv: whole.optional(),
  lv: whole.optional(),
  grp: text.optional(),
  note: bytes.optional(),
  lx: text.optional(),
  rekey: text.optional(),
  // Of a payment.
  rcv: text.optional(),
  amt: units.optional(),
  close: text.optional(),
  // Of an asset transfer; `asnd` is the account that a clawback takes from.
  arcv: text.optional(),
  aamt: units.optional(),
  xaid: units.optional(),
  aclose: text.optional(),
  asnd: text.optional(),
  // Of an application call.
  apid: units.optional(),
});
export type WireTransaction = z.infer<typeof transaction>;

/** A transaction with exactly one signature, or with none in a block that a control made. */
const signed = z.object({
  txn: transaction,
  sig: text.optional(),
  msig: present.optional(),
  lsig: present.optional(),
  pqsig: present.optional(),
  sgnr: text.optional(),
});
export type SignedWireTransaction = z.infer<typeof signed>;

export const block = z.object({
  block: z.object({
    ts: whole.optional(),
    prev: text.optional(),
    proto: text.optional(),
    txns: z.array(signed).optional(),
  }),
});
export type BlockAnswer = z.infer<typeof block>;

const blockIds = z.object({ blockTxids: z.array(text).optional() });
export type BlockIdsAnswer = z.infer<typeof blockIds>;

const status = z.object({ 'last-round': whole });
export type StatusAnswer = z.infer<typeof status>;

/** A value that an application wrote under a key: 1 is bytes, 2 an integer, 3 says that the key went. */
const keyDelta = z.object({
  key: bytes,
  value: z.object({ action: whole, bytes: bytes.optional(), uint: units.optional() }),
});

/** A key of an application's state with its value: type 1 is bytes, 2 an integer. */
const keyValue = z.object({ key: bytes, value: z.object({ type: whole, bytes, uint: units }) });
export type KeyValue = z.infer<typeof keyValue>;

const pending = z.object({
  'confirmed-round': whole.optional(),
  'pool-error': text.optional(),
  'application-index': whole.optional(),
  logs: z.array(bytes).optional(),
  get 'inner-txns'() {
    return z.array(pending).optional();
  },
  'global-state-delta': z.array(keyDelta).optional(),
  'local-state-delta': z.array(z.object({ address: text, delta: z.array(keyDelta) })).optional(),
  txn: signed,
});
export type PendingAnswer = z.infer<typeof pending>;

const account = z.object({
  address: text,
  amount: units,
  'min-balance': units,
  'auth-addr': text.optional(),
  assets: z.array(z.object({ 'asset-id': units, amount: units, 'is-frozen': z.boolean() })).optional(),
  'created-assets': z.array(z.object({ index: units })).optional(),
  'created-apps': z.array(z.object({ id: units })).optional(),
  'apps-local-state': z.array(z.object({ id: units, 'key-value': z.array(keyValue).optional() })).optional(),
});
export type AccountAnswer = z.infer<typeof account>;

const asset = z.object({
  params: z.object({
    name: text.optional(),
    'unit-name': text.optional(),
    decimals: whole.max(19),
    total: units,
    creator: text,
    manager: text.optional(),
    reserve: text.optional(),
    freeze: text.optional(),
    clawback: text.optional(),
  }),
});
export type AssetAnswer = z.infer<typeof asset>;

const application = z.object({
  params: z.object({
    creator: text,
    version: whole.optional(),
    'approval-program': bytes,
    'clear-state-program': bytes,
    'global-state': z.array(keyValue).optional(),
  }),
});
export type ApplicationAnswer = z.infer<typeof application>;

const boxes = z.object({
  boxes: z.array(z.object({ name: bytes, value: bytes.optional() })).optional(),
  'next-token': text.optional(),
});
export type BoxesAnswer = z.infer<typeof boxes>;

/** algod's answers that the page shows, by their paths below `/v2/`. */
export const NODE_ANSWERS = {
  status,
  'blocks/:round': block,
  'blocks/:round/txids': blockIds,
  'accounts/:address': account,
  'assets/:id': asset,
  'applications/:id': application,
  'applications/:id/boxes': boxes,
  'transactions/pending/:id': pending,
};
