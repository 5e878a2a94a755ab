import { describe, expect, test } from 'vitest';
import { createAuthentication } from '../../src/rest/authentication.ts';

const TOKEN = 'api-token';
const ADMIN = 'admin-token';
const closed = createAuthentication({ token: TOKEN, adminToken: ADMIN, auth: true });
const unlocked = createAuthentication({ token: TOKEN, adminToken: ADMIN, auth: false });

describe('a token', () => {
  test('opens public routes as API or admin token, admin routes only as admin token', () => {
    expect(closed('public', { 'x-algo-api-token': TOKEN })).toBe(true);
    expect(closed('public', { 'x-algo-api-token': ADMIN })).toBe(true);
    expect(closed('loopback', { 'x-algo-api-token': TOKEN })).toBe(true);
    expect(closed('admin', { 'x-algo-api-token': TOKEN })).toBe(false);
    expect(closed('admin', { 'x-algo-api-token': ADMIN })).toBe(true);
  });

  test('is not needed for open routes', () => {
    expect(closed('open', {})).toBe(true);
  });

  test('is looked for in the bearer only when its own header is missing or empty', () => {
    expect(closed('public', { authorization: `bearer ${TOKEN}` })).toBe(true);
    expect(closed('public', { authorization: `Bearer ${TOKEN}`, 'x-algo-api-token': '' })).toBe(true);
    expect(closed('public', { authorization: `Bearer ${TOKEN}`, 'x-algo-api-token': 'x' })).toBe(false);
    expect(closed('public', { authorization: `Basic ${TOKEN}` })).toBe(false);
    expect(closed('public', { authorization: TOKEN })).toBe(false);
  });

  test('is not needed on public routes without authentication, but still on admin routes', () => {
    expect(unlocked('public', {})).toBe(true);
    expect(unlocked('admin', { 'x-algo-api-token': TOKEN })).toBe(false);
  });

  test('is never the empty text', () => {
    expect(closed('public', {})).toBe(false);
    expect(closed('admin', { 'x-algo-api-token': '' })).toBe(false);
  });
});
