import { Table } from '../parts/table.tsx';
import { useRef, useState } from 'preact/hooks';
import { useAnswer, useConstant } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address, isTransactionId, type Names } from '../parts/address.tsx';
import { Algos, AssetAmount } from '../parts/amount.tsx';
import { Await } from '../parts/notice.tsx';
import { linkTo } from '../route.ts';
import type { AccountAnswer, BlockAnswer, StatusAnswer } from '../../node-answers.ts';

const BLOCKS_SHOWN = 12;

/** The latest rounds, a search, and the accounts that have names. */
export function ChainView() {
  const chainVersion = useLive('chainVersion');
  const status = useAnswer<StatusAnswer>('/api/node/status', chainVersion);
  return (
    <>
      <h1>Chain</h1>
      <Search />
      <h2>Blocks</h2>
      <Await asked={status}>{({ 'last-round': last }) => <Blocks last={last} />}</Await>
      <h2>Accounts</h2>
      <NamedAccounts />
    </>
  );
}

function Blocks({ last }: { readonly last: number }) {
  const count = Math.min(BLOCKS_SHOWN, last + 1);
  return (
    <Table label="Blocks" columns={['Round', 'Time', 'Transactions']}>
      {Array.from({ length: count }, (_, index) => (
        <BlockRow round={last - index} key={last - index} />
      ))}
    </Table>
  );
}

function BlockRow({ round }: { readonly round: number }) {
  const [chain, chainVersion, failedAt] = [useLive('chain'), useLive('chainVersion'), useRef(0)];
  const { answer, problem } = useAnswer<BlockAnswer>(`/api/node/blocks/${round}`, `${chain} ${failedAt.current}`);
  // A block that was not given is asked for once more when the chain changes.
  if (problem) failedAt.current = chainVersion;
  const { ts, txns = [] } = answer?.block ?? {};
  return (
    <tr>
      <td>
        <a href={linkTo('blocks', round)}>{round}</a>
      </td>
      <td>{ts === undefined ? '' : new Date(ts * 1000).toLocaleTimeString()}</td>
      <td>
        {answer && (txns.length === 0 ? <span class="quiet">none</span> : inShort(txns.map(({ txn }) => txn.type)))}
      </td>
    </tr>
  );
}

/** Each word once, in order of its first, with the number of them: `pay, axfer × 3`. */
function inShort(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => (count === 1 ? word : `${word} × ${count}`)).join(', ');
}

function NamedAccounts() {
  const names = useConstant<Names>('/api/names') ?? {};
  return (
    <Table label="Accounts" columns={['Name', 'Balance', 'Assets']}>
      {Object.keys(names).map((address) => (
        <AccountRow address={address} key={address} />
      ))}
    </Table>
  );
}

function AccountRow({ address }: { readonly address: string }) {
  const chainVersion = useLive('chainVersion');
  const { answer } = useAnswer<AccountAnswer>(`/api/node/accounts/${address}`, chainVersion);
  return (
    <tr>
      <td>
        <Address address={address} />
      </td>
      <td>{answer && <Algos microAlgos={answer.amount} />}</td>
      <td>
        {answer?.assets?.map((holding) => (
          <div key={holding['asset-id']}>
            <AssetAmount units={holding.amount} assetId={holding['asset-id']} />
          </div>
        ))}
      </td>
    </tr>
  );
}

/** Goes to whatever the text names: a round or id, an address, a TxID. */
function Search() {
  const [text, setText] = useState('');
  const target = targetOf(text.trim());
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (target !== undefined) location.hash = target;
      }}
    >
      <label>
        Find a round, an address or a transaction
        <input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} spellcheck={false} />
      </label>
      <button disabled={target === undefined}>Find</button>
    </form>
  );
}

function targetOf(text: string): string | undefined {
  if (/^\d{1,15}$/.test(text)) return linkTo('blocks', text);
  if (/^[A-Z2-7]{58}$/.test(text)) return linkTo('accounts', text);
  return isTransactionId(text) ? linkTo('transactions', text) : undefined;
}
