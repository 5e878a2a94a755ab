import { isUtf8 } from 'node:buffer';
import { parseAddress } from '@avm402/algorand/address';
import type { AlgodClient, CreatedAssetParameters, HeldAsset } from '@avm402/algorand/algod';
import {
  accountsFile,
  importedParams,
  type ImportedAccount,
  type ImportedAsset,
  type ImportedParams,
} from './accounts-file.ts';

/**
 * Reads accounts, their holdings and the parameters of those assets from an algod, and gives the text of an accounts
 * file. Applications are left out.
 * @throws AlgorandError as the client's methods do; `invalid_address`
 */
export async function exportAccounts(algod: AlgodClient, addresses: readonly string[]): Promise<string> {
  const { genesisId } = await algod.params();
  const accounts: ImportedAccount[] = [];
  const assets = new Map<bigint, ImportedAsset>();
  for (const address of new Set(addresses)) {
    const held = await holdingsOf(algod, address);
    accounts.push(await accountOf(algod, address, held));
    for (const { assetId, params } of held) if (params) assets.set(assetId, { assetId, params: paramsOf(params) });
  }
  const ascending = [...assets.values()].sort((a, b) => (a.assetId < b.assetId ? -1 : 1));
  return `${accountsFile.json({ genesisId, accounts, assets: ascending }, '')}\n`;
}

async function holdingsOf(algod: AlgodClient, address: string): Promise<HeldAsset[]> {
  const held: HeldAsset[] = [];
  let next: string | undefined;
  do {
    const page = await algod.accountHoldings(address, { next });
    held.push(...page.holdings);
    next = page.next;
  } while (next !== undefined);
  return held;
}

/** Leaves out holdings of destroyed assets, which are worthless. */
async function accountOf(algod: AlgodClient, text: string, held: readonly HeldAsset[]): Promise<ImportedAccount> {
  const { amount, authAddress, round } = await algod.account(text);
  return {
    address: parseAddress(text),
    amount,
    authAddress: addressOf(authAddress),
    assets: held
      .filter(({ params }) => params !== undefined)
      .map(({ assetId, amount: units, isFrozen }) => ({ assetId, amount: units, frozen: isFrozen })),
    round,
  };
}

function paramsOf({ creator, total, decimals, defaultFrozen, ...params }: CreatedAssetParameters): ImportedParams {
  const { unitName = NOTHING, name = NOTHING, url = NOTHING, metadataHash = importedParams.zero.metadataHash } = params;
  return importedParams.of({
    creator: parseAddress(creator),
    total,
    decimals,
    defaultFrozen,
    ...(isUtf8(unitName) ? { unitName } : { unitNameBytes: unitName }),
    ...(isUtf8(name) ? { name } : { nameBytes: name }),
    ...(isUtf8(url) ? { url } : { urlBytes: url }),
    metadataHash,
    manager: addressOf(params.manager),
    reserve: addressOf(params.reserve),
    freeze: addressOf(params.freeze),
    clawback: addressOf(params.clawback),
  });
}

const NOTHING = new Uint8Array(0);

/** All zero if there is no address. */
function addressOf(text: string | undefined): Uint8Array {
  return text === undefined ? importedParams.zero.manager : parseAddress(text);
}
