// Preloaded into the unmodified camofox-browser server, so that it runs over the browser of this machine.
// It changes nothing on disk. In memory it
//   1. replaces the bare import `camoufox-js` with a stub (no download of a browser, no fingerprints),
//   2. sends playwright-core's `firefox.launch` to SHIM_EXECUTABLE: Chromium over CDP, or Firefox over WebDriver BiDi,
//   3. lets BiDi `emulation.*` commands fail softly, since Firefox ESR lacks some of them,
//   4. leaves out Xvfb, so that the server falls back to headless,
//   5. shortens the server's housekeeping timers of 60 s to SHIM_TICK_MS, when given,
//   6. writes the pid of every browser it starts to SHIM_PID_FILE, one a line,
//   7. keeps the browser on loopback: every other host is sent to a closed port or does not resolve,
//   8. ends browser and server when standard input closes, which is when whoever started them is gone.
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import fs from 'node:fs';

const engine = process.env.SHIM_ENGINE ?? 'chromium';
const executable = process.env.SHIM_EXECUTABLE;
const libraries = process.env.SHIM_LIBRARIES;
const tickMs = Number(process.env.SHIM_TICK_MS ?? 0);
const pidFile = process.env.SHIM_PID_FILE;

const moduleOf = (source) => `data:text/javascript,${encodeURIComponent(source)}`;
const camoufox = moduleOf(`
  export class Camoufox {}
  export async function launchOptions(o = {}) {
    return { executablePath: o.executable_path, args: [], env: { ...process.env }, firefoxUserPrefs: {}, headless: true, proxy: o.proxy || undefined };
  }
`);
const noDisplay = moduleOf(`
  export class VirtualDisplay {
    proc = null;
    get xvfb_args() { return ['-screen', '0', '1x1x24']; }
    async get() { throw new Error('no display here'); }
    kill() {}
  }
`);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'camoufox-js') return { url: camoufox, format: 'module', shortCircuit: true };
    if (specifier === 'camoufox-js/dist/virtdisplay.js')
      return { url: noDisplay, format: 'module', shortCircuit: true };
    return next(specifier, context);
  },
  load(url, context, next) {
    const loaded = next(url, context);
    if (engine !== 'firefox' || !url.endsWith('/playwright-core/lib/coreBundle.js')) return loaded;
    const source = String(loaded.source ?? fs.readFileSync(new URL(url), 'utf8'));
    return { ...loaded, source: source.replaceAll('.send("emulation.', '.sendMayFail("emulation.') };
  },
});

if (tickMs > 0) {
  const setLater = globalThis.setInterval;
  // The orphan reaper stays slow: run every second it would close pages that are still being made.
  globalThis.setInterval = (work, ms, ...rest) =>
    setLater(work, ms === 60_000 && !/orphan page reaper/.test(String(work)) ? tickMs : ms, ...rest);
}

const loopbackOnly = `function FindProxyForURL(url, host) {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\\.\\d+\\.\\d+\\.\\d+$/.test(host) ? 'DIRECT' : 'PROXY 127.0.0.1:9';
}`;
const firefoxPreferences = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.newtabpage.enabled': false,
  'browser.region.network.url': '',
  'browser.region.update.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.search.update': false,
  'browser.topsites.contile.enabled': false,
  'datareporting.healthreport.uploadEnabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.push.connection.enabled': false,
  'extensions.getAddons.cache.enabled': false,
  'extensions.systemAddon.update.enabled': false,
  'extensions.update.enabled': false,
  'geo.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.dns.disablePrefetch': true,
  'network.prefetch-next': false,
  'network.proxy.allow_hijacking_localhost': false,
  'network.proxy.autoconfig_url': `data:application/x-ns-proxy-autoconfig,${encodeURIComponent(loopbackOnly)}`,
  'network.proxy.type': 2,
  'network.trr.mode': 5,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.enabled': false,
  'toolkit.telemetry.unified': false,
};
const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE ::1, EXCLUDE [::1]',
];

const require = createRequire(pathToFileURL(process.argv[1]));
const playwright = require('playwright-core');
const launchFirefox = playwright.firefox.launch.bind(playwright.firefox);
playwright.firefox.launch = async (options = {}) => {
  const before = new Set(childPids());
  const common = {
    headless: true,
    env: { ...options.env, ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}) },
    proxy: options.proxy,
    timeout: options.timeout,
    handleSIGINT: options.handleSIGINT,
    handleSIGTERM: options.handleSIGTERM,
    handleSIGHUP: options.handleSIGHUP,
    executablePath: executable,
  };
  const browser =
    engine === 'chromium'
      ? await playwright.chromium.launch({ ...common, args: chromiumArguments, chromiumSandbox: false })
      : await launchFirefox({
          ...common,
          channel: 'moz-firefox',
          firefoxUserPrefs: { ...firefoxPreferences, ...options.firefoxUserPrefs },
        });
  if (pidFile) {
    const started = childPids().filter((pid) => !before.has(pid));
    fs.appendFileSync(pidFile, started.map((pid) => `${pid}\n`).join(''));
  }
  return browser;
};

process.stdin.on('error', endAll).on('end', endAll).resume();
// Watching is no reason to stay.
process.stdin.unref?.();

function endAll() {
  for (const pid of childPids()) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // No group of its own: it ends with this process's group.
    }
  }
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.exit(1);
  }
}

function childPids() {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === process.pid;
      } catch {
        return false;
      }
    });
}
