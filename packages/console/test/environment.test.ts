import { expect, it } from 'vitest';
import { readEnvironment } from '../src/environment.ts';

it.each(['ALGOD_URL', 'FACILITATOR_URL', 'RESOURCE_URL'])('%s has no password, which the page would show', (name) => {
  const read = (): unknown => readEnvironment({ [name]: 'http://joe:secret@127.0.0.1:4022' });
  expect(read).toThrow(expect.objectContaining({ code: 'environment_invalid' }));
  expect(read).not.toThrow(/secret/);
});

it.each([
  ['FACILITATOR_KEY', 'a-secret-of-a-file\nwith-two-lines'],
  ['FACILITATOR_KEY', 'a-secret'],
  ['FACILITATOR_URL', 'http://127.0.0.1:4022/?key=secret'],
])('%s is refused where no request could carry it, without being shown', (name, value) => {
  const read = (): unknown => readEnvironment({ [name]: value });
  expect(read).toThrow(expect.objectContaining({ code: 'environment_invalid' }));
  expect(read).not.toThrow(/secret/);
});
