import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Facts } from '../parts/facts.tsx';
import { TransactionLink } from '../parts/address.tsx';
import { Await } from '../parts/notice.tsx';
import { linkTo, type Route } from '../route.ts';
import type { BlockAnswer, BlockIdsAnswer } from '../../node-answers.ts';
import { Movement } from './movement.tsx';

/** More would take seconds to draw; the node's own answer has all. */
const TRANSACTIONS_SHOWN = 1000;

export function BlockView({ route: { id } }: { readonly route: Route }) {
  const round = Number(id);
  const [chain, chainVersion, latest = 0] = [useLive('chain'), useLive('chainVersion'), useLive('round')];
  // A block that is made changes no more.
  const version = latest < round ? `${chain} ${chainVersion}` : chain;
  const asked = useAnswer<BlockAnswer>(`/api/node/blocks/${encodeURIComponent(id)}`, version);
  const ids = useAnswer<BlockIdsAnswer>(`/api/node/blocks/${encodeURIComponent(id)}/txids`, version);
  return (
    <>
      <h1>Block {id}</h1>
      <p class="row">
        {round > 0 && <a href={linkTo('blocks', round - 1)}>Previous</a>}
        <a href={linkTo('blocks', round + 1)}>Next</a>
      </p>
      <Await asked={asked}>
        {({ block }) => (
          <>
            <Facts
              facts={{
                Time: block.ts === undefined ? undefined : new Date(block.ts * 1000).toLocaleString(),
                Previous: <code>{block.prev}</code>,
                Protocol: block.proto?.split('/').at(-1),
              }}
            />
            <h2>Transactions</h2>
            {block.txns ? (
              <ol class="cards">
                {block.txns.slice(0, TRANSACTIONS_SHOWN).map((signed, index) => {
                  const transactionId = ids.answer?.blockTxids?.[index];
                  return (
                    <li class="card">
                      {transactionId !== undefined && <TransactionLink id={transactionId} />}
                      <Movement transaction={signed.txn} />
                    </li>
                  );
                })}
              </ol>
            ) : (
              <p class="quiet">None: the block was made by a control, or by the clock.</p>
            )}
            {block.txns && block.txns.length > TRANSACTIONS_SHOWN && (
              <p class="quiet">
                These are the first {TRANSACTIONS_SHOWN} of {block.txns.length}.
              </p>
            )}
          </>
        )}
      </Await>
    </>
  );
}
