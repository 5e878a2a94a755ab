import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address } from '../parts/address.tsx';
import { Facts } from '../parts/facts.tsx';
import { Shown } from '../parts/notice.tsx';
import { linkTo, type Route } from '../route.ts';
import type { BlockAnswer, BlockIdsAnswer, PendingAnswer, WireTransaction } from './algod-json.ts';
import { Effects } from './effects.tsx';
import { GroupFlow, type GroupMember } from './group-flow.tsx';
import { ProgramTrace } from './program-trace.tsx';

export function TransactionView({ route: { id } }: { readonly route: Route }) {
  const { chainVersion } = useLive();
  const asked = useAnswer<PendingAnswer>(`/api/node/transactions/pending/${encodeURIComponent(id)}`, chainVersion);
  return (
    <>
      <h1>Transaction</h1>
      <p>
        <code class="whole">{id}</code>
      </p>
      <Shown asked={asked}>{(answer) => <Transaction id={id} answer={answer} />}</Shown>
    </>
  );
}

function Transaction({ id, answer }: { readonly id: string; readonly answer: PendingAnswer }) {
  const round = answer['confirmed-round'];
  return (
    <>
      <Facts
        of={{
          State: stateOf(answer),
          Round: round !== undefined && <a href={linkTo('blocks', round)}>{round}</a>,
          ...factsOf(answer.txn.txn),
          Created: answer['application-index'] !== undefined && (
            <a href={linkTo('applications', answer['application-index'])}>application {answer['application-index']}</a>
          ),
        }}
      />
      <h2>{answer.txn.txn.grp ? 'Its group' : 'What it moves'}</h2>
      <GroupOf id={id} answer={answer} />
      <Effects of={answer} />
      {round !== undefined && <ProgramTrace id={id} />}
    </>
  );
}

function factsOf({ snd, fv = 0, lv = 0, note, lx, rekey, close, aclose, asnd }: WireTransaction) {
  const remainder = close ?? aclose;
  return {
    Valid: `rounds ${fv} to ${lv}`,
    Note: note && <code class="whole">{note}</code>,
    Lease: lx && <code>{lx}</code>,
    'Taken back by': asnd && <Address of={snd} />,
    'Rekeyed to': rekey && <Address of={rekey} />,
    'Closed to': remainder && <Address of={remainder} />,
  };
}

function stateOf({ 'confirmed-round': round, 'pool-error': poolError }: PendingAnswer): string {
  if (round !== undefined) return 'confirmed';
  return poolError ? `fallen out of the pool: ${poolError}` : 'waits in the pool';
}

/** All members of the group, from its block. If the group still waits, only this transaction is known. */
export function GroupOf({ id, answer }: { readonly id: string; readonly answer: PendingAnswer }) {
  const round = answer['confirmed-round'];
  const inGroup = round !== undefined && answer.txn.txn.grp !== undefined;
  const block = useAnswer<BlockAnswer>(inGroup ? `/api/node/blocks/${round}` : '');
  const ids = useAnswer<BlockIdsAnswer>(inGroup ? `/api/node/blocks/${round}/txids` : '');
  const members: readonly GroupMember[] = (block.answer?.block.txns ?? [])
    .map((signed, index) => ({ signed, id: ids.answer?.blockTxids?.[index] ?? '' }))
    .filter(({ signed }) => signed.txn.grp === answer.txn.txn.grp);
  return <GroupFlow members={inGroup && members.length > 0 ? members : [{ id, signed: answer.txn }]} marked={id} />;
}
