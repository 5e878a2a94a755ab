import { addressKey } from '../transaction/address-key.ts';
import { address, bytes, bytes32, isAllZero } from '../codec/bytes.ts';
import { boolean, uint32, uint64 } from '../codec/integer.ts';
import { decodeText } from '../codec/decode.ts';
import type { ValueOf } from '../codec/kind.ts';
import { list } from '../codec/list.ts';
import { field, requiredField, Struct } from '../codec/struct.ts';
import { byteString, textBytes } from '../codec/text.ts';
import { DevnodeError } from '../errors.ts';

/** One more than the most decimals of an asset (go-algorand config/consensus.go, MaxAssetDecimals). */
const TOO_MANY_DECIMALS = 20;

/** An asset's parameters under algod's names. A text that is not UTF-8 is in its `-b64` field. */
export const importedParams = new Struct({
  creator: requiredField('creator', address),
  total: requiredField('total', uint64),
  decimals: requiredField('decimals', uint32),
  defaultFrozen: field('default-frozen', boolean),
  unitName: field('unit-name', textBytes),
  unitNameBytes: field('unit-name-b64', bytes),
  name: field('name', textBytes),
  nameBytes: field('name-b64', bytes),
  url: field('url', textBytes),
  urlBytes: field('url-b64', bytes),
  metadataHash: field('metadata-hash', bytes32),
  manager: field('manager', address),
  reserve: field('reserve', address),
  freeze: field('freeze', address),
  clawback: field('clawback', address),
});

const importedAsset = new Struct({
  assetId: requiredField('index', uint64),
  params: requiredField('params', importedParams),
});

const importedHolding = new Struct({
  assetId: requiredField('asset-id', uint64),
  amount: requiredField('amount', uint64),
  frozen: field('is-frozen', boolean),
});

const importedAccount = new Struct({
  address: requiredField('address', address),
  /** µAlgo. */
  amount: requiredField('amount', uint64),
  authAddress: field('auth-addr', address),
  assets: field('assets', list(importedHolding)),
  /** The round of these values. */
  round: field('round', uint64),
});

/** Accounts, their holdings and the assets of some chain. */
export const accountsFile = new Struct({
  /** The genesis id of their chain, as a note for the reader. */
  genesisId: field('genesis-id', byteString),
  accounts: field('accounts', list(importedAccount)),
  assets: field('assets', list(importedAsset)),
});

export type AccountsFile = ValueOf<typeof accountsFile>;
export type ImportedAccount = ValueOf<typeof importedAccount>;
export type ImportedAsset = ValueOf<typeof importedAsset>;
export type ImportedParams = ValueOf<typeof importedParams>;

/**
 * Reads an accounts file: JSON under the names of algod's answers.
 * @throws DevnodeError `invalid_accounts_file`, which says what is wrong with it
 */
export function parseAccountsFile(text: string): AccountsFile {
  const file = decodeText(accountsFile, text, (reason, cause) => invalid(reason, { cause }));
  const { accounts = [], assets: all = [] } = file;
  if (accounts.length + all.length === 0) throw invalid('it names neither accounts nor assets');
  if (accounts.some((account) => isAllZero(account.address))) throw invalid('an account has no address');
  checkDistinct('account', accounts, ({ address: owner }) => addressKey(owner));
  checkDistinct('asset', all, ({ assetId }) => assetId);
  for (const { assets = [] } of accounts) checkDistinct('holding', assets, ({ assetId }) => assetId);
  for (const { assetId, params } of all) {
    if (assetId === 0n) throw invalid('no asset has the id 0');
    if (params.decimals >= TOO_MANY_DECIMALS) throw invalid(`asset ${assetId} has ${params.decimals} decimals`);
  }
  return file;
}

export function invalid(problem: string, options: { readonly cause?: unknown } = {}): DevnodeError {
  return new DevnodeError('invalid_accounts_file', `the accounts file is not usable: ${problem}`, options);
}

function checkDistinct<T>(thing: string, all: readonly T[], keyOf: (each: T) => unknown): void {
  if (new Set(all.map(keyOf)).size !== all.length) throw invalid(`it names the same ${thing} twice`);
}
