import type { ComponentChildren } from 'preact';
import type { Problem } from '../../server/answer-error.ts';
import type { Asked } from '../ask.ts';

/** The reason why something can't be shown, and how to fix it. */
export function ProblemNotice({ problem }: { readonly problem: Problem }) {
  return (
    <div class="notice bad" role="alert">
      <p>{problem.message}</p>
      {problem.remedy && <p>{problem.remedy}</p>}
      <p>
        <code>{problem.code}</code>
      </p>
    </div>
  );
}

export function NothingHere({ what, children }: { readonly what: string; readonly children?: ComponentChildren }) {
  return (
    <div class="notice">
      <p>There is no {what}.</p>
      {children}
    </div>
  );
}

/** Shows the answer when it has arrived; until then, or if it fails, the reason why it is missing. */
export function Await<T>({
  asked,
  children,
}: {
  readonly asked: Asked<T>;
  readonly children: (answer: T) => ComponentChildren;
}) {
  if (asked.problem) return <ProblemNotice problem={asked.problem} />;
  if (asked.answer === undefined)
    return (
      <p class="quiet" aria-busy="true">
        Asking …
      </p>
    );
  return <>{children(asked.answer)}</>;
}
