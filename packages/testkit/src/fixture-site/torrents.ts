import { createHash } from 'node:crypto';
import { BrowserError } from '@wheelhouse/contracts';
import { bencode, type Bencodable } from './bencode.ts';
import type { Family } from './switches.ts';
import { categories, releaseForms, works, type Category } from './works.ts';

/** How a download and an upload count on the account. */
export type Promotion = 'none' | 'free' | 'double_free' | 'double' | 'half';

/** One listed torrent. Everything but `publishedAt` follows from its id and the account's passkey. */
export interface FixtureTorrent {
  readonly id: number;
  readonly name: string;
  readonly subtitle: string;
  readonly category: Category;
  readonly sizeBytes: number;
  readonly seeders: number;
  readonly leechers: number;
  readonly grabs: number;
  readonly comments: number;
  readonly uploader: string;
  readonly promotion: Promotion;
  readonly publishedAt: Date;
  /** Name that the site gives to the downloaded file. */
  readonly fileName: string;
  /** Hex, of the info dictionary. */
  readonly infoHashV1: string;
  /** Hex, of the whole file as it is downloaded. */
  readonly sha256: string;
}

/** The torrents of one site. */
export interface Catalogue {
  /** 72 torrents, newest first, with ids from 1001. */
  readonly torrents: readonly FixtureTorrent[];
  /** The torrent with an id, or `undefined`. */
  find: (id: string) => FixtureTorrent | undefined;
  /** The file of a torrent. Fails with `invalid_request` for an id that the site does not have. */
  bytes: (id: number) => Buffer;
}

const firstId = 1_001;
const uploaders = ['northpine', 'quietloom', 'saltmill', 'elmgrove'];
const promotions: readonly Promotion[] = ['none', 'free', 'none', 'double_free', 'half', 'none', 'double', 'none'];

/** The catalogue that an account sees at a time; files hold its passkey in the announce URL. */
export function createCatalogue(options: { family: Family; passkey: string; now: Date }): Catalogue {
  const files = new Map<number, Buffer>();
  const torrents = works
    .flatMap((work, place) => [0, 1, 2].map((form) => ({ work, form, place })))
    .map(({ work, form, place }) => {
      const id = firstId + form * works.length + place;
      const [release, maxMiB] = releaseForms[work.category][form] ?? ['', 1];
      const name = `${work.title} ${work.year} ${release}`.replaceAll(' ', '.');
      const sizeBytes = Math.ceil(maxMiB * 1024 * 1024 * (0.55 + fraction(id, 'size') * 0.45));
      const info = infoOf({ family: options.family, id, name, sizeBytes });
      const bytes = bencode({
        announce: `https://tracker.${options.family}.example/announce.php?passkey=${options.passkey}`,
        'created by': 'FixtureSite 1.0',
        'creation date': 1_700_000_000 + id * 3_600,
        info,
      });
      files.set(id, bytes);
      return {
        id,
        name,
        subtitle: `${work.zh} | ${categories[work.category].zh} | ${work.year} | ${release.split(' ')[0] ?? ''}`,
        category: work.category,
        sizeBytes,
        seeders: Math.floor(fraction(id, 'seeders') ** 3 * 400),
        leechers: Math.floor(fraction(id, 'leechers') ** 4 * 60),
        grabs: Math.floor(fraction(id, 'grabs') ** 2 * 2_500),
        comments: Math.floor(fraction(id, 'comments') ** 4 * 20),
        uploader: uploaders[id % uploaders.length] ?? 'northpine',
        promotion: promotions[id % promotions.length] ?? 'none',
        publishedAt: new Date(options.now.getTime() - ageMs(id)),
        fileName: options.family === 'nexusphp' ? `[灯塔].${name}.torrent` : `[FixtureU]${name}.torrent`,
        infoHashV1: createHash('sha1').update(bencode(info)).digest('hex'),
        sha256: createHash('sha256').update(bytes).digest('hex'),
      } satisfies FixtureTorrent;
    })
    .toSorted((one, other) => other.id - one.id);
  return {
    torrents,
    find: (id) => torrents.find((torrent) => String(torrent.id) === id),
    bytes(id) {
      const bytes = files.get(id);
      if (bytes === undefined) throw new BrowserError('invalid_request', `There is no torrent ${id} on this site.`);
      return bytes;
    },
  };
}

function infoOf(torrent: { family: Family; id: number; name: string; sizeBytes: number }) {
  const pieceLength = torrent.sizeBytes > 4 * 1024 ** 3 ? 16 * 1024 ** 2 : 1024 ** 2;
  // The content does not exist: bytes of the right number that follow from the id stand for its hashes.
  const outputLength = Math.ceil(torrent.sizeBytes / pieceLength) * 20;
  const pieces = createHash('shake256', { outputLength }).update(String(torrent.id)).digest();
  return {
    length: torrent.sizeBytes,
    name: torrent.name,
    'piece length': pieceLength,
    pieces,
    private: 1,
    source: torrent.family === 'nexusphp' ? '[fixture.example] 灯塔' : 'FixtureU',
  } satisfies Bencodable;
}

/** The newest is minutes old, the oldest about two years: every unit of "how long ago" is on the list. */
function ageMs(id: number): number {
  const rank = firstId + works.length * 3 - id;
  return Math.floor(rank ** 3.4 * 28_000 + rank * 420_000);
}

function fraction(id: number, what: string): number {
  return createHash('sha256').update(`${what}:${id}`).digest().readUInt32BE(0) / 2 ** 32;
}
