/** kmd's defaults, except that every origin is allowed, as in LocalNet, because web applications call KMD. */
export const DEFAULT_KMD_CONFIG = {
  /** Origins of pages that may read the answers; `*`: all. */
  allowed_origins: ['*'] as readonly string[],
  /** Whether pages of the public Internet may call this KMD in a private network. */
  allow_header_pna: false,
  /** How long a handle to a wallet is valid. */
  session_lifetime_secs: 60,
};

/** KMD's settings, under the keys of kmd_config.json. */
export type KmdConfig = Readonly<typeof DEFAULT_KMD_CONFIG>;
