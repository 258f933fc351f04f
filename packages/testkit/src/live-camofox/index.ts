export { type FoundBrowser, findBrowser } from './browser.ts';
export { type LiveCamofox, type LiveCamofoxOptions, startLiveCamofox } from './live-camofox.ts';
