/** The kinds of content that both families list, each with its own category number. */
export const categories = {
  movie: { nexusId: 401, unitId: 1, zh: '电影', en: 'Movies', newznab: 'Movies', icon: 'film' },
  series: { nexusId: 402, unitId: 2, zh: '电视剧', en: 'TV Series', newznab: 'TV', icon: 'tv-retro' },
  documentary: {
    nexusId: 404,
    unitId: 3,
    zh: '纪录片',
    en: 'Documentaries',
    newznab: 'TV/Documentary',
    icon: 'camera-movie',
  },
  anime: { nexusId: 405, unitId: 4, zh: '动漫', en: 'Anime', newznab: 'TV/Anime', icon: 'dragon' },
  music: { nexusId: 408, unitId: 5, zh: '音乐', en: 'Music', newznab: 'Audio', icon: 'music' },
  book: { nexusId: 409, unitId: 6, zh: '电子书', en: 'Books', newznab: 'Books/EBook', icon: 'book' },
} as const;
export type Category = keyof typeof categories;

/** An invented work; none of them exists. */
interface Work {
  readonly title: string;
  readonly zh: string;
  readonly category: Category;
  readonly year: number;
}

/** 24 invented works. Titles hold an apostrophe, an ampersand, an umlaut and brackets, because real ones do. */
export const works: readonly Work[] = [
  work('The Lantern Keepers', '守灯人', 'movie', 2024),
  work("Ferryman's Daughter", '摆渡人的女儿', 'movie', 2019),
  work('Salt & Ember', '盐与余烬', 'movie', 2022),
  work('Nine Bridges to Orlow', '通往奥尔洛的九座桥', 'movie', 2016),
  work('A Quiet Meridian', '寂静的子午线', 'movie', 2025),
  work('Das grüne Zimmer am Fluss', '河边的绿房间', 'movie', 2011),
  work('Paper Moons Over Lisse', '利瑟上空的纸月亮', 'movie', 2023),
  work('The Cartographer Sleeps', '沉睡的制图师', 'movie', 2020),
  work('Tidewater Precinct', '潮水分局', 'series', 2021),
  work('House of Small Clocks', '小钟之家', 'series', 2023),
  work('Northlight', '北方之光', 'series', 2018),
  work('The Orchard Files', '果园档案', 'series', 2024),
  work('Second Ferry', '末班渡轮', 'series', 2025),
  work('Grey Harbour', '灰港', 'series', 2015),
  work('Rivers That Forgot', '被遗忘的河流', 'documentary', 2020),
  work('The Long Thaw', '漫长的解冻', 'documentary', 2022),
  work('Beekeepers of the Ridge', '山脊上的养蜂人', 'documentary', 2017),
  work('Kumo no Eki', '云之驿站', 'anime', 2023),
  work('Suzu to Garasu no Mori', '铃与玻璃之森', 'anime', 2021),
  work('Tsukigata Ryokan [TV]', '月形旅馆', 'anime', 2024),
  work('Halvard Quartet - Winter Rooms', '哈尔瓦四重奏：冬日房间', 'music', 2019),
  work('Ines Moreau - Low Tide Songs', '伊内斯·莫罗：退潮之歌', 'music', 2024),
  work('The Glassblower Notebook', '吹玻璃匠的笔记', 'book', 2018),
  work('Atlas of Lost Ferries', '消失渡轮地图集', 'book', 2022),
];

/** Release forms of each kind, best first: the end of a release name, and how large it is at most, in MiB. */
export const releaseForms: Readonly<Record<Category, readonly (readonly [form: string, maxMiB: number])[]>> = {
  movie: [
    ['2160p UHD BluRay REMUX HEVC HDR TrueHD 7.1-FiXHD', 72_000],
    ['1080p WEB-DL H264 DDP5.1-FiXWEB', 9_000],
    ['720p BluRay x264 AC3-FiX', 5_200],
  ],
  series: [
    ['S01 1080p WEB-DL H265 AAC-FiXWEB', 24_000],
    ['S02E03 1080p HDTV H264-FiX', 2_300],
    ['S02E04 2160p WEB-DL DV H265-FiXWEB', 7_100],
  ],
  documentary: [
    ['1080p NF WEB-DL H264-FiXWEB', 6_000],
    ['2160p BluRay x265 10bit-FiXHD', 31_000],
    ['576p DVDRip XviD-FiX', 1_400],
  ],
  anime: [
    ['S01 1080p BluRay x265 FLAC-FiXAni', 29_000],
    ['S01E07 1080p WEB-DL AAC-FiXAni', 1_500],
    ['OVA 720p x264-FiXAni', 900],
  ],
  music: [
    ['FLAC 24bit-96kHz', 1_900],
    ['FLAC 16bit-44kHz', 480],
    ['MP3 320', 160],
  ],
  book: [
    ['EPUB', 12],
    ['PDF', 190],
    ['AZW3', 14],
  ],
};

function work(title: string, zh: string, category: Category, year: number): Work {
  return { title, zh, category, year };
}
