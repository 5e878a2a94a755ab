/** Whether a host name, as a URL or a setting writes it, means this machine. */
export function isLoopbackHost(name: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(name);
}

/** Whether the remote address of a socket is this machine. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i.test(address);
}
