import { useState } from 'preact/hooks';
import type { Demonstrated } from '../../payments/demonstration.ts';
import type { Problem } from '../../server/answer-error.ts';
import { problemOf, send, useConstant } from '../ask.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import { linkTo } from '../route.ts';

/** The path of a URL, which people recognize; the text itself if it is not a URL. */
function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}

/** Pays for the resource from a development account, then goes to the view of that payment. */
export function PayButton() {
  const resource = useConstant<string>('/api/resource');
  const [isPaying, setIsPaying] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const pay = (): void => {
    setIsPaying(true);
    setProblem(undefined);
    send<Demonstrated>('/api/pay')
      .then(({ traceId }) => (location.hash = linkTo('payments', traceId)))
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setIsPaying(false));
  };
  return (
    <>
      <p class="row">
        <button class="main" onClick={pay} disabled={isPaying}>
          {isPaying ? 'Paying …' : `Pay for ${nameOf(resource ?? '')}`}
        </button>
      </p>
      {problem && <ProblemNotice problem={problem} />}
    </>
  );
}
