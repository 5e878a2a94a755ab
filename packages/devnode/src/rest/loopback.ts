/** Whether a socket's remote address is this machine itself. */
export function isLoopback(remoteAddress: string | undefined): boolean {
  if (remoteAddress === undefined) return false;
  const address = remoteAddress.replace(/^::ffff:/i, '');
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
}
