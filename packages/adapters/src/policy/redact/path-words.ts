const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Segments next to which a path carries a passkey, whatever its form: 40 and 64 hex digits and UUIDs too. */
export const credentialSegments = set(`
  announce announce.php scrape scrape.php tracker.php invite invites register signup signup.php reset-password
  password-reset reset resetpassword reset_password confirm confirmation activate activation verify verify-email recover
  recovery unsubscribe magic-link webhook webhooks hook hooks notification notifications notify notifiarr prowlarr
  services token tokens passkey authkey rsskey apikey api-key auth login-link session-link oauth callback
`);

/** Segments of feeds, downloads and interfaces: what looks random beside them is a key. */
export const feedSegments = set(`
  rss feed feeds getrss rssfeed atom torznab newznab api download downloads dl sdownload fetch getnzb get nzb torrents
  torrent user users u
`);

/** Segments of pictures, scripts and other assets, whose names are digests. */
export const assetSegments = set(`
  avatar avatars static chunks chunk assets asset img image images thumb thumbs thumbnail thumbnails cover covers poster
  posters media css js fonts font build dist gallery photo photos icon icons emoji screens screenshot screenshots backdrop
  backdrops wp-content _next view s_ratio_poster p pics pictures smilies banners
`);

/** Endings of file names that are assets. */
export const assetFile =
  /^[^/?#\s]{0,80}\.(?:png|jpe?g|webp|gif|svg|ico|bmp|avif|css|m?js|cjs|map|woff2?|ttf|otf|eot|mp4|webm|mp3|m3u8|html?|wasm)\b/i;
