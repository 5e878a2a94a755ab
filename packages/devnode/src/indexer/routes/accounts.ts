import { formatAddress } from '@avm402/algorand/address';
import { notFound, refused } from '../../errors.ts';
import type { AssetParams } from '../../codec/schema/transaction.ts';
import { isEmptyAccount } from '../../ledger/account.ts';
import type { AccountState } from '../../queries/account-record.ts';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer } from '../../rest/answer.ts';
import { pathAddress, queryBoolean, queryList, queryUint64, type Bound } from '../../rest/parameter.ts';
import { route, type Route } from '../../rest/route.ts';
import { addressOfKey, type AddressKey } from '../../transaction/address-key.ts';
import { sameBytes } from '../../codec/bytes.ts';
import { accountHoldingJson, accountJson, assetJson, type ExcludedParts } from '../account-json.ts';
import type { ChainIndex } from '../chain-index.ts';
import { accountPage, ENTRY_PAGE, idPageAnswer, pageParameters } from '../page.ts';
import { includeAll, isWithin, queryAddress, unsupported } from '../parameters.ts';
import { allAccounts, holdersOf, membersOf } from '../state-lists.ts';

const EXCLUDABLE = ['all', 'none', 'assets', 'created-assets', 'apps-local-state', 'created-apps'];

const accountParameters = {
  exclude: queryList(`Parts to leave out: ${EXCLUDABLE.join(', ')}.`),
  'include-all': includeAll,
  round: unsupported('accounts are known as they are now'),
};

const searchParameters = {
  ...pageParameters,
  ...accountParameters,
  'asset-id': queryUint64('Accounts that hold this asset.'),
  'auth-addr': queryAddress('Accounts that this key signs for.'),
  'currency-greater-than': queryUint64('Accounts that hold more µAlgo, or with `asset-id` more units.'),
  'currency-less-than': queryUint64('Accounts that hold less µAlgo, or with `asset-id` fewer units.'),
  'online-only': queryBoolean('Online accounts only.'),
  'application-id': queryUint64('Accounts that have opted in to this application.'),
};

const holdingParameters = {
  'account-id': pathAddress(),
  ...pageParameters,
  'asset-id': queryUint64('Only this asset.'),
  'include-all': includeAll,
};

type Asked = Bound<typeof searchParameters>;

const NOBODY = new Uint8Array(0);

/** Accounts in their present state. */
export function accountRoutes(index: ChainIndex, queries: Queries): Route[] {
  return [
    route({
      path: '/v2/accounts',
      summary: 'Accounts, by the bytes of their addresses.',
      parameters: searchParameters,
      async handle(asked) {
        const exclude = parseExclude(asked.exclude);
        await index.follow();
        const { entries, token } = accountPage(candidates(index, asked), asked, ENTRY_PAGE);
        const accounts = entries.map(({ owner }) => addressOfKey(owner));
        return jsonAnswer({
          accounts: accounts.map((address) => accountJson(address, queries.account(address), index, exclude)),
          'current-round': queries.latestRound,
          'next-token': token,
        });
      },
    }),
    route({
      path: '/v2/accounts/:account-id',
      summary: 'An account with its assets.',
      parameters: { 'account-id': pathAddress(), ...accountParameters },
      async handle({ 'account-id': address, ...asked }) {
        const exclude = parseExclude(asked.exclude);
        await index.follow();
        const state = existingAccount(queries, address);
        return jsonAnswer({
          account: accountJson(address, state, index, exclude),
          'current-round': queries.latestRound,
        });
      },
    }),
    ...assetListRoutes(index, queries),
  ];
}

function assetListRoutes(index: ChainIndex, queries: Queries): Route[] {
  return [
    route({
      path: '/v2/accounts/:account-id/assets',
      summary: 'An account’s holdings, by asset id.',
      parameters: holdingParameters,
      handle(asked) {
        const { holdings } = queries.account(asked['account-id']);
        const form = { name: 'assets', round: queries.latestRound, json: accountHoldingJson };
        return idPageAnswer(holdings, { ...asked, only: asked['asset-id'] }, form);
      },
    }),
    route({
      path: '/v2/accounts/:account-id/created-assets',
      summary: 'Assets that an account created, by id.',
      parameters: holdingParameters,
      async handle(asked) {
        await index.follow();
        const creator = asked['account-id'];
        const json = (id: bigint, params: AssetParams) => assetJson(id, { creator, params }, index);
        const form = { name: 'assets', round: queries.latestRound, json };
        return idPageAnswer(queries.account(creator).created, { ...asked, only: asked['asset-id'] }, form);
      },
    }),
  ];
}

/** The accounts that are asked for, in the order of the bytes of their addresses. */
function candidates({ chain }: ChainIndex, asked: Asked): { readonly owner: AddressKey }[] {
  const [assetId, authAddress] = [asked['asset-id'] ?? 0n, asked['auth-addr']];
  const applicationId = asked['application-id'] ?? 0n;
  const owners = applicationId === 0n ? allAccounts(chain) : membersOf(chain, applicationId);
  const members = new Set(owners);
  const amounts =
    assetId === 0n
      ? owners.map((owner) => ({ owner, amount: chain.state.account(owner).microAlgos }))
      : holdersOf(chain, assetId)
          .filter(({ owner }) => members.has(owner))
          .map(({ owner, holding }) => ({ owner, amount: holding.amount }));
  return amounts.filter(({ owner, amount }) => {
    const account = chain.state.account(owner);
    if (asked['online-only'] === true && account.status !== 'Online') return false;
    if (authAddress !== undefined && !sameBytes(account.authAddress ?? NOBODY, authAddress)) return false;
    return isWithin(amount, asked);
  });
}

function existingAccount(queries: Queries, address: Uint8Array): AccountState {
  const state = queries.account(address);
  if (!isEmptyAccount(state.account)) return state;
  throw notFound(`no accounts found for address: ${formatAddress(address)}`);
}

function parseExclude(given: readonly string[] = []): ExcludedParts {
  const unknown = given.find((part) => !EXCLUDABLE.includes(part));
  if (unknown !== undefined) throw refused(`exclude: ${unknown} is not one of ${EXCLUDABLE.join(', ')}`);
  const all = given.includes('all');
  return {
    assets: all || given.includes('assets'),
    createdAssets: all || given.includes('created-assets'),
    optedInApplications: all || given.includes('apps-local-state'),
    createdApplications: all || given.includes('created-apps'),
  };
}
