export type { Account } from './account.ts';
export type { DefinitionOptions } from './definition.ts';
export type { Effect, Effects } from './effects.ts';
export { generatedSha256, largeFileBytes } from './lab/files.ts';
export { startFixtureSite, type FixtureSite, type FixtureSiteOptions } from './server.ts';
export { Family, LoginVariant, PageKind, SiteState, SwitchesPatch, type Switches } from './switches.ts';
export type { FixtureTorrent, Promotion } from './torrents.ts';
export { totp } from './totp.ts';
