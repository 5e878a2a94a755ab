import type { DevState } from '@avm402/devnode';
import { useState } from 'preact/hooks';
import type { Problem } from '../../server/answer-error.ts';
import { problemOf, send, useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Facts } from '../parts/facts.tsx';
import { ProblemNotice, Await } from '../parts/notice.tsx';
import { linkTo } from '../route.ts';
import { AccountForm } from './account-form.tsx';
import type { Control } from './control.ts';
import { FaultForm } from './fault-form.tsx';

/** The type after a trip through JSON: rounds and ids are numbers. */
type AsJson<T> = T extends bigint ? number : T extends object ? { readonly [Name in keyof T]: AsJson<T[Name]> } : T;
type State = AsJson<DevState>;

export function ControlsView() {
  const chainVersion = useLive('chainVersion');
  const [done, setDone] = useState(0);
  const [problem, setProblem] = useState<Problem>();
  const asked = useAnswer<State>('/api/controls', `${chainVersion} ${done}`);
  const control: Control = (name, values) => {
    setProblem(undefined);
    send(`/api/controls/${name}`, values)
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setDone((count) => count + 1));
  };
  return (
    <>
      <h1>Controls</h1>
      <p class="quiet">Controls that real nodes do not have. They work only with the embedded node.</p>
      {problem && <ProblemNotice problem={problem} />}
      <Await asked={asked}>
        {(state) => (
          <>
            <Clock state={state} control={control} />
            <Snapshots state={state} control={control} />
            <h2>Accounts</h2>
            <AccountForm control={control} />
            <h2>Faults</h2>
            <FaultForm control={control} />
            <Faults faults={state.faults} control={control} />
          </>
        )}
      </Await>
    </>
  );
}

interface Part {
  readonly state: State;
  readonly control: Control;
}

function Clock({ state, control }: Part) {
  return (
    <>
      <h2>Blocks and time</h2>
      <Facts
        facts={{
          Round: <a href={linkTo('blocks', state.round)}>{state.round}</a>,
          Blocks: state.paused ? 'paused: what is submitted waits' : state.blocks,
          'In the pool': state.poolTransactions,
          Clock: state.secondsAhead === 0 ? 'the wall clock' : `${state.secondsAhead} s ahead of the wall clock`,
        }}
      />
      <p class="row">
        <button onClick={() => control('mine', { rounds: 1 })}>Mine a block</button>
        <button onClick={() => control('mine', { rounds: 10 })}>Mine 10</button>
        {state.paused ? (
          <button onClick={() => control('resume')}>Resume blocks</button>
        ) : (
          <button onClick={() => control('pause')}>Pause blocks</button>
        )}
        <button onClick={() => control('increaseTime', { seconds: 60 })}>A minute later</button>
        <button onClick={() => control('increaseTime', { seconds: 86_400 })}>A day later</button>
      </p>
    </>
  );
}

function Snapshots({ state, control }: Part) {
  return (
    <>
      <h2>Snapshots</h2>
      <p class="row">
        <button onClick={() => control('snapshot')}>Take a snapshot</button>
        <button onClick={() => control('reset')}>Reset to the start</button>
      </p>
      {state.snapshots.length === 0 && (
        <p class="quiet">None yet. The chain can return to each as often as you like.</p>
      )}
      <ul class="cards">
        {state.snapshots.map(({ id, round }) => (
          <li class="card row">
            <span>
              Snapshot {id}, at round {round}
            </span>
            <button onClick={() => control('revert', { id })}>Return to snapshot {id}</button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Faults({ faults, control }: { readonly faults: State['faults']; readonly control: Control }) {
  if (faults.length === 0) return <p class="quiet">None is set: every request is answered as it should be.</p>;
  return (
    <ul class="cards">
      {faults.map((fault) => (
        <li class="card row">
          <span>
            <code>{fault.route}</code> {wordsOf(fault)}; struck {fault.struck}
          </span>
          <button onClick={() => control('removeFault', { id: fault.id })}>Remove fault {fault.id}</button>
        </li>
      ))}
    </ul>
  );
}

function wordsOf({ delayMs, status, lose, times }: State['faults'][number]): string {
  const parts = [
    delayMs > 0 && `is ${delayMs} ms late`,
    status > 0 && `answers ${status}`,
    lose !== '' && `loses the ${lose}`,
    times > 0 && `${times} times`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
