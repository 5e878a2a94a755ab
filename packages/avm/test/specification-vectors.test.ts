import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { accountFromSeed } from '@avm402/algorand/account';
import { createSigner } from '@avm402/algorand/ed25519';
import {
  channelId,
  channelProgram,
  encodeVoucher,
  parseChannelConfig,
  parseVoucher,
  signClose,
  signVoucher,
} from '@avm402/avm/batch-settlement';
import { errorCatalogue } from '@avm402/core/errors';
import { uptoProgram } from '@avm402/avm/upto';
import { channelTemplate, rulesOf, uptoTemplate } from './batch-settlement/template.ts';

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

it.each([
  ['scheme_batch_settlement_avm.md', channelTemplate],
  ['scheme_upto_avm.md', uptoTemplate],
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
