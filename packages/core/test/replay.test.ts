import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isX402Error } from '../src/errors.ts';
import { encodeReplay, parseReplay, type Replay } from '../src/replay.ts';

const REPLAY: Replay = {
  format: 'avm402-replay',
  version: 1,
  asked: 'GET /weather',
  outcome: 'settled',
  checks: [{ check: 'offer', outcome: 'passed' }],
  messages: [{ direction: 'received', line: '402', headers: { 'PAYMENT-REQUIRED': '{}' } }],
  group: ['AAAA'],
  ledger: { round: 3, state: 'AAAA' },
};

describe('parseReplay', () => {
  it('reads what encodeReplay wrote', () => {
    expect(parseReplay(encodeReplay(REPLAY))).toEqual(REPLAY);
  });

  it('bounds what a file may make the program do', () => {
    const group = Array.from({ length: 17 }, () => 'AAAA');
    const messages = Array.from({ length: 1001 }, () => REPLAY.messages[0]);
    for (const wrong of [{ group }, { messages }, { group: ['no base64!'] }, { ledger: { round: -1, state: '' } }]) {
      expect(() => parseReplay(JSON.stringify({ ...REPLAY, ...wrong }))).toThrow(
        expect.objectContaining({ code: 'invalid_replay' }),
      );
    }
  });

  it('says which member is wrong, and how', () => {
    const round = JSON.stringify({ ...REPLAY, ledger: { round: -1, state: '' } });
    expect(() => parseReplay(round)).toThrow('ledger.round: Too small: expected number to be >=0');
  });

  it('refuses everything else with its code', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        try {
          parseReplay(json);
          expect.unreachable();
        } catch (error) {
          expect(isX402Error(error, 'invalid_replay')).toBe(true);
        }
      }),
    );
  });
});
