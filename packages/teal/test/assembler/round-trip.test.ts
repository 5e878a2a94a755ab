import { describe, expect, it } from 'vitest';
import { checkPrograms, checkSources } from './round-trip.ts';

describe('any source', () => {
  it('is refused with places and reasons, or becomes a program that its disassembly assembles to', () => {
    expect(checkSources(1500)).toBeGreaterThan(20);
  });
});

describe('any program', () => {
  it('is refused with a reason, or has a listing that stays the same', () => {
    expect(checkPrograms(1500)).toBeGreaterThan(100);
  });
});
