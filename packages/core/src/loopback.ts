/** Whether a host name, as written in a URL or a setting, means this machine. */
export function isLoopbackHost(name: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(name);
}

/** Whether the remote address of a socket is this machine. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i.test(address);
}
