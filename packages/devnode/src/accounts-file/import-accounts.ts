import { formatAddress } from '@avm402/algorand/address';
import { isAllZero } from '../codec/bytes.ts';
import { assetParams, type AssetParams } from '../codec/schema/transaction.ts';
import { addHolding, countCreated } from '../ledger/asset-holding.ts';
import type { StateDelta } from '../ledger/state/state.ts';
import { addressKey } from '../transaction/address-key.ts';
import {
  invalid,
  type AccountsFile,
  type ImportedAccount,
  type ImportedAsset,
  type ImportedParams,
} from './accounts-file.ts';

/**
 * Lays accounts and assets over a state. An existing account gets the file's balance and key, and its holdings of the
 * file's assets; an existing asset is replaced by the file's.
 * @throws DevnodeError `invalid_accounts_file` for a holding of an asset that is in neither the file nor the state
 */
export function importAccounts({ accounts = [], assets = [] }: AccountsFile, state: StateDelta): void {
  for (const asset of assets) importAsset(asset, state);
  for (const account of accounts) importAccount(account, state);
}

function importAsset({ assetId, params }: ImportedAsset, state: StateDelta): void {
  const before = state.asset(assetId);
  const creator = addressKey(params.creator);
  if (before !== undefined) countCreated(state, before.creator, -1);
  countCreated(state, creator, 1);
  state.setAsset(assetId, { creator, params: paramsOf(params) });
}

function importAccount({ address, amount, authAddress, assets = [] }: ImportedAccount, state: StateDelta): void {
  const owner = addressKey(address);
  state.changeAccount(owner, { microAlgos: amount, authAddress: isAllZero(authAddress) ? undefined : authAddress });
  for (const { assetId, ...holding } of assets) {
    if (state.asset(assetId) === undefined) {
      throw invalid(`${formatAddress(address)} holds asset ${assetId}, which is not among the assets`);
    }
    if (state.holding(owner, assetId) === undefined) addHolding(state, owner, assetId, holding);
    else state.setHolding(owner, assetId, holding);
  }
}

function paramsOf(params: ImportedParams): AssetParams {
  const { unitNameBytes, nameBytes, urlBytes } = params;
  return assetParams.of({
    total: params.total,
    decimals: params.decimals,
    defaultFrozen: params.defaultFrozen,
    metadataHash: params.metadataHash,
    manager: params.manager,
    reserve: params.reserve,
    freeze: params.freeze,
    clawback: params.clawback,
    unitName: unitNameBytes.length > 0 ? unitNameBytes : params.unitName,
    name: nameBytes.length > 0 ? nameBytes : params.name,
    url: urlBytes.length > 0 ? urlBytes : params.url,
  });
}
