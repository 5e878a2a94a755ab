import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { accountFromSeed } from '@avm402/algorand/account';
import { createSigner } from '@avm402/algorand/ed25519';
import { channelId, channelProgram, parseChannelConfig, signClose, signVoucher } from '@avm402/avm/batch-settlement';
import { encodeVoucher, parseVoucher } from '../src/batch-settlement/voucher.ts';
import { mandateAddress, mandateProgram, parseMandateConfig, receiverTree } from '@avm402/avm/mandate';
import { decodeBase64 } from '@avm402/algorand/base64';
import { decodeMsgpack } from '@avm402/algorand/msgpack';
import { decodeMember } from '@avm402/algorand/signed-transaction';
import { TESTNET } from '@avm402/algorand/networks';
import { errorCatalogue } from '@avm402/core/errors';
import { programGroup } from '@avm402/teal/group';
import { EMPTY_ENVIRONMENT, run } from '@avm402/teal/run';
import { uptoProgram } from '@avm402/avm/upto';
import { channelTemplate, mandateTemplate, rulesOf, uptoTemplate } from './batch-settlement/template.ts';

const read = (name: string): string => readFileSync(new URL(`../../../docs/specs/${name}`, import.meta.url), 'utf8');

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const vectors = JSON.parse(read('batch_settlement_avm_vectors.json'));

it.each<{ readonly channelConfig: unknown; readonly program: string; readonly channelId: string }>(vectors.channels)(
  'channel $channelId: its configuration gives its program and its id',
  (vector) => {
    const config = parseChannelConfig(vector.channelConfig);
    expect([hex(channelProgram(config)), channelId(config)]).toEqual([vector.program, vector.channelId]);
  },
);

it.each<{ readonly seed: string; readonly payerAuthorizer: string; readonly voucher: unknown }>(vectors.vouchers)(
  'voucher: the session key signs it as it stands there',
  ({ seed, payerAuthorizer, voucher }) => {
    const bytes = Buffer.from(seed, 'hex');
    expect(accountFromSeed(bytes).address).toBe(payerAuthorizer);
    const parsed = parseVoucher(voucher);
    expect(encodeVoucher(signVoucher(createSigner(bytes), parsed.channelId, parsed.maxClaimableAmount))).toEqual(
      voucher,
    );
  },
);

it.each<{ readonly seed: string; readonly channelId: string; readonly authorization: string }>(vectors.closes)(
  'early close: the session key signs it as it stands there',
  ({ seed, channelId: id, authorization }) => {
    const signature = signClose(createSigner(Buffer.from(seed, 'hex')), id);
    expect(Buffer.from(signature).toString('base64')).toBe(authorization);
  },
);

it('upto: an authorization gives its program', () => {
  const { authorization, program } = JSON.parse(read('upto_avm_vectors.json'));
  const { token, maxAmount, lastValid, genesisHash, lease, ...addresses } = authorization;
  const numbers = { token: BigInt(token), maxAmount: BigInt(maxAmount), lastValid: BigInt(lastValid) };
  const bytes = { genesisHash: Buffer.from(genesisHash, 'base64'), lease: Buffer.from(lease, 'base64') };
  expect(hex(uptoProgram({ ...addresses, ...numbers, ...bytes }))).toBe(program);
});

const mandates = JSON.parse(read('mandate_avm_vectors.json'));

it.each<{ readonly config: unknown; readonly program: string; readonly address: string }>(mandates.mandates)(
  'mandate $address: its configuration gives its program and its address',
  (vector) => {
    const config = parseMandateConfig(vector.config);
    expect([hex(mandateProgram(config)), mandateAddress(config)]).toEqual([vector.program, vector.address]);
  },
);

it.each<{ readonly receivers: string[]; readonly root: string; readonly paths: string[] }>(mandates.trees)(
  'mandate: the receivers of the root $root have their paths',
  ({ receivers, root, paths }) => {
    const tree = receiverTree(receivers.toReversed());
    expect(hex(tree.root)).toBe(root);
    expect(receivers.map((receiver) => hex(tree.pathTo(receiver) ?? new Uint8Array()))).toEqual(paths);
  },
);

const bytesOf = (base64: string): Uint8Array => decodeBase64(base64) ?? new Uint8Array();

it.each<{ readonly what: string; readonly group: string[]; readonly index: number; readonly passes: boolean }>(
  mandates.transactions,
)('mandate: $what: $passes', ({ group, index, passes }) => {
  const members = group.map((member) => decodeMember(bytesOf(member)).signed);
  const signature = decodeMsgpack(members[index]?.logicSignature ?? new Uint8Array()) as Map<string, never>;
  const environment = { ...EMPTY_ENVIRONMENT, genesisHash: bytesOf(TESTNET.genesisHash) };
  const seen = { group: programGroup(members.map(({ txn }) => txn)), index, args: signature.get('arg') ?? [] };
  expect(run(signature.get('l') ?? new Uint8Array(), { ...seen, environment }).passed).toBe(passes);
});

it('mandate: each rule of the program has a transaction that it refuses', () => {
  const refused: string[] = mandates.transactions.flatMap(({ what }: { what: string }) => /^[A-Z]\d/.exec(what) ?? []);
  expect([...new Set(refused)]).toEqual(rulesOf(mandateTemplate));
});

it.each([
  ['scheme_batch_settlement_avm.md', channelTemplate],
  ['scheme_upto_avm.md', uptoTemplate],
  ['mandate_avm.md', mandateTemplate],
])('%s names each rule of its program, and no other', (page, template) => {
  const cells = [...read(page).matchAll(/^\| ([A-Z]\d+(?:, [A-Z]\d+)*) +\|/gm)].flatMap(([, cell = '']) =>
    cell.split(', '),
  );
  // L4 is the second way that L3 allows.
  expect(cells.filter((label) => label !== 'L4').toSorted()).toEqual(rulesOf(template).toSorted());
});

it.each([
  ['scheme_batch_settlement_avm.md', 'invalid_batch_settlement_avm_'],
  ['scheme_upto_avm.md', 'invalid_upto_avm_'],
])('%s lists each reason that begins with %s, and no other', (page, prefix) => {
  const [, list = ''] = new RegExp(`^\`${prefix}\` and: ([^.;]*)[.;]`, 'm').exec(read(page)) ?? [];
  const listed = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => `${prefix}${name}`);
  const known = Object.keys(errorCatalogue).filter((code) => code.startsWith(prefix));
  expect(listed.toSorted()).toEqual(known.toSorted());
});
