import { expect, it } from 'vitest';
import { readRequest } from '../src/http/replayable-request.ts';
import { sendUntilAnswered } from '../src/http/send-until-answered.ts';

it('a clock that is set back makes no request wait longer than its time', async () => {
  const clock = { ms: 3_600_000 };
  let attempts = 0;
  const answer = await sendUntilAnswered(
    await readRequest('https://shop.example/'),
    { url: 'https://shop.example/', header: 'x', receiptOf: () => undefined },
    {
      fetch: async () => {
        if (++attempts === 2) clock.ms = 0;
        return new Response(null, { status: 503 });
      },
      recoverMs: 10_000,
      now: () => clock.ms,
      sleep: async (ms) => void (clock.ms += ms),
    },
  );
  expect(answer).toMatchObject({ response: { status: 503 } });
  expect(attempts).toBeLessThan(10);
});
