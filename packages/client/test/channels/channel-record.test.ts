import { expect, it } from 'vitest';
import { encodeChannelRecord, parseChannelRecord } from '../../src/channels/channel-record.ts';
import { offered, recordOf } from './channel-parts.ts';

it('a record of a long URL and a long method is read as it was written', () => {
  const url = `https://a.example/${'n'.repeat(3_000)}`;
  const record = recordOf({ opened: { method: 'M'.repeat(3_000), url, requirements: offered() } });
  expect(parseChannelRecord(encodeChannelRecord(record).trimEnd())).toEqual(record);
});
