import type { GroupMember } from '../../payments/group-member.ts';
import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Facts } from '../parts/facts.tsx';
import { Await } from '../parts/notice.tsx';
import { linkTo, type Route } from '../route.ts';
import type { PendingAnswer, WireTransaction } from '../../node-answers.ts';
import { Effects } from './effects.tsx';
import { GroupFlow } from './group-flow.tsx';
import { ProgramTrace } from './program-trace.tsx';

export function TransactionView({ route: { id } }: { readonly route: Route }) {
  const chainVersion = useLive('chainVersion');
  const asked = useAnswer<PendingAnswer>(`/api/node/transactions/pending/${encodeURIComponent(id)}`, chainVersion);
  return (
    <>
      <h1>Transaction</h1>
      <p>
        <code class="whole">{id}</code>
      </p>
      <Await asked={asked}>{(answer) => <Transaction id={id} answer={answer} />}</Await>
    </>
  );
}

function Transaction({ id, answer }: { readonly id: string; readonly answer: PendingAnswer }) {
  const chainVersion = useLive('chainVersion');
  const group = useAnswer<readonly GroupMember[]>(`/api/groups/${encodeURIComponent(id)}`, chainVersion);
  const round = answer['confirmed-round'];
  return (
    <>
      <Facts
        facts={{
          State: stateOf(answer),
          Round: round !== undefined && <a href={linkTo('blocks', round)}>{round}</a>,
          ...factsOf(answer.txn.txn),
          Created: answer['application-index'] !== undefined && (
            <a href={linkTo('applications', answer['application-index'])}>application {answer['application-index']}</a>
          ),
        }}
      />
      <h2>{answer.txn.txn.grp ? 'Its group' : 'What it moves'}</h2>
      <Await asked={group}>{(members) => <GroupFlow members={members} marked={id} />}</Await>
      <Effects answer={answer} />
      {round !== undefined && <ProgramTrace id={id} />}
    </>
  );
}

function factsOf({ fv = 0, lv = 0, note, lx }: WireTransaction) {
  return {
    Valid: `rounds ${fv} to ${lv}`,
    Note: note && <code class="whole">{note}</code>,
    Lease: lx && <code>{lx}</code>,
  };
}

function stateOf({ 'confirmed-round': round, 'pool-error': poolError }: PendingAnswer): string {
  if (round !== undefined) return 'confirmed';
  return poolError ? `fallen out of the pool: ${poolError}` : 'waits in the pool';
}
