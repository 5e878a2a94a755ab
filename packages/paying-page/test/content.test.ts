import { expect, it } from 'vitest';
import { indented } from '../src/page/content.ts';

it('shows JSON with line breaks, and as it came if reading it would change it', () => {
  expect(indented('{"report":"sunny"}')).toBe('{\n  "report": "sunny"\n}');
  for (const text of ['{"id":12345678901234567890}', '{"rate":1.50}', '{"a":1,"a":2}', 'no JSON']) {
    expect(indented(text)).toBe(text);
  }
});
