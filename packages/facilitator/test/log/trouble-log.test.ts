import { expect, it } from 'vitest';
import { silentLog } from '../../src/log/log.ts';
import { TroubleLog } from '../../src/log/trouble-log.ts';

function collecting() {
  const lines: unknown[] = [];
  const note = (facts: object, message: string): void => void lines.push([message, facts]);
  return { lines, troubles: new TroubleLog({ ...silentLog, info: note, warn: note }) };
}

it('logs trouble when it begins, by tens, hundreds and thousands, and when it is over', () => {
  const { lines, troubles } = collecting();
  for (let times = 1; times <= 2_500; times += 1) troubles.happened('a node failed', { node: 'a' }, 'a');
  troubles.isOver('a node failed', 'a node answers again', { node: 'a' }, 'a');
  const failed = [1, 10, 100, 1_000].map((times) => ['a node failed', { node: 'a', times }]);
  expect(lines).toEqual([...failed, ['a node answers again', { node: 'a', times: 2_500 }]]);
});

it('counts what is of different things apart, and says nothing of the end of what never began', () => {
  const { lines, troubles } = collecting();
  troubles.happened('a node failed', {}, 'a');
  troubles.happened('a node failed', {}, 'b');
  troubles.isOver('a node failed', 'a node answers again', {}, 'c');
  expect(lines).toEqual([
    ['a node failed', { times: 1 }],
    ['a node failed', { times: 1 }],
  ]);
});

it('logs trouble anew when it comes back', () => {
  const { lines, troubles } = collecting();
  for (let round = 0; round < 2; round += 1) {
    troubles.happened('a node failed', {});
    troubles.isOver('a node failed', 'a node answers again', {});
  }
  expect(lines).toHaveLength(4);
});
