// SPDX-License-Identifier: MIT
// Drives the page of viewer/web as a person does. See run.
import {createRequire} from 'node:module';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';
import {resolve} from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const web = `${root}/build-web`;
const puppeteer = createRequire(`${web}/npm/`)('puppeteer-core');
const address = process.env.POISE_ADDRESS;
const failures = [];
const consoleErrors = [];
const small = {width: 640, height: 400};
const requests = new Set();
const fetched = new Set();

function expect(good, what) {
    console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s ${good ? 'holds' : 'FAILS'}: ${what}`);
    if (!good) {
        failures.push(what);
    }
}

const wait = ms => new Promise(done => setTimeout(done, ms));
/** Waits until the page has drawn what is there now. */
const drawn = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

async function open(browser, size, fragment = '') {
    const page = await browser.newPage();
    page.on('pageerror', error => consoleErrors.push(String(error)));
    page.on('console', line => line.type() === 'error' && consoleErrors.push(line.text()));
    page.on('request', request => {
        requests.add(new URL(request.url()).origin);
        fetched.add(new URL(request.url()).pathname);
    });
    await page.setViewport(size);
    const start = Date.now();
    await page.goto(`${address}${fragment}`);
    try {
        await page.waitForSelector('body[data-ready]', {timeout: 90000});
    } catch (error) {
        writeFileSync(`${web}/no-start`, String(error));
        throw error;
    }
    await drawn(page);
    return {page, milliseconds: Date.now() - start};
}

const number = (page, name, ...values) =>
    page.evaluate((name, values) => call(name, 'number', values.map(() => 'number'), values), name, values);
const text = (page, name) => page.evaluate(name => call(name, 'string'), name);
const choose = (page, fragment) => page.evaluate(fragment => follow(fragment), fragment);

/** Returns the place in the page of a point's goal, and the distance of point and goal, m. */
async function see(page, point) {
    const box = await page.evaluate(() => {
        const {left, top} = canvas.getBoundingClientRect();
        return [left, top];
    });
    return [box[0] + await number(page, 'poise_web_seen', point, 0),
        box[1] + await number(page, 'poise_web_seen', point, 1)];
}

async function error(page, point) {
    const at = [];
    for (let i = 0; i < 6; i++) {
        at.push(await number(page, 'poise_web_point', point, i));
    }
    return Math.hypot(at[0] - at[3], at[1] - at[4], at[2] - at[5]);
}

async function goal(page, point) {
    return [await number(page, 'poise_web_point', point, 3), await number(page, 'poise_web_point', point, 4),
        await number(page, 'poise_web_point', point, 5)];
}

const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

async function drags(page, what, move) {
    await choose(page, '#scene=springhead_5balls');
    await number(page, 'poise_web_go', 1);
    await drawn(page);
    const before = await goal(page, 0);
    const [x, y] = await see(page, 0);
    await move(x, y, x - 90, y + 50);
    await drawn(page);
    const after = await goal(page, 0);
    const start = await number(page, 'poise_web_time');
    await number(page, 'poise_web_go', start + 2);
    const miss = await error(page, 0);
    expect(apart(before, after) > 0.1 && miss < 1e-3,
        `${what}: the goal moved ${apart(before, after).toFixed(3)} m, the point is ${miss.toExponential(1)} m from it after 2 s`);
}

async function edits(page) {
    await choose(page, '#scene=springhead_5balls');
    await page.click('#edit');
    const old = await page.$eval('#text', area => area.value);
    await page.$eval('#text', area => area.value = area.value.replace(/^world:.*$/m, line =>
        /\{/.test(line) ? line.replace('{', '{gravity: [0, 0, -3.5], ').replace(/, gravity: \[[^\]]*\]/, '') : line));
    await page.$eval('#text', (area, old) => {
        if (area.value === old) {
            area.value = old + '\nworld: {gravity: [0, 0, -3.5]}\n';
        }
    }, old);
    await page.click('#apply');
    const gravity = await page.evaluate(() => call('poise_web_parameter', 'number', ['string'], ['world.gravity.z']));
    expect(gravity === -3.5, `an edited value takes effect: gravity ${gravity} (${await page.$eval('#said', said => said.textContent)})`);
    await page.$eval('#text', area => area.value += '\nworlds: 5\n');
    await page.click('#apply');
    const finding = await page.$eval('#findings', list => list.textContent);
    const kept = await page.evaluate(() => call('poise_web_parameter', 'number', ['string'], ['world.gravity.z']));
    expect(/:\d+:\d+: error: .*worlds/.test(finding) && kept === -3.5, `a wrong key is named: ${finding.slice(0, 90)}`);
    await page.click('#findings li');
    const there = await page.$eval('#text', area => area.value.slice(area.selectionStart));
    expect(there.startsWith('worlds'), 'a click on a finding goes to its place in the text');
    await page.click('#close');
}

async function drop(page, name, contents) {
    await page.evaluate(async (name, contents) => {
        await drop([new File([contents], name)]);
    }, name, contents);
}

const ROBOT = `<robot name="two"><link name="base"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0"
iyy="0.1" iyz="0" izz="0.1"/></inertial><visual><geometry><box size="0.3 0.3 0.1"/></geometry></visual></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<collision><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.04" length="0.5"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="50" velocity="2"/></joint></robot>`;

/** Returns a box of 12 triangles as an STL file of letters. */
function box([x, y, z], [cx, cy, cz]) {
    const corner = i => [cx + (i & 1 ? x : -x) / 2, cy + (i & 2 ? y : -y) / 2, cz + (i & 4 ? z : -z) / 2].join(' ');
    const faces = [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 4, 6],
        [0, 6, 2], [1, 3, 7], [1, 7, 5]];
    return `solid box\n${faces.map(face => `facet normal 0 0 0\nouter loop\n${face.map(i =>
        `vertex ${corner(i)}\n`).join('')}endloop\nendfacet\n`).join('')}endsolid box\n`;
}

/** Drops a robot with meshes that falls on its arm, so that its state depends on the mesh's shape. The state must
 * be that of the native program. */
async function meshes(page) {
    expect(![...fetched].some(path => /poise-meshes/.test(path)), 'the reader of meshes is not fetched before one is dropped');
    const mesh = '<mesh filename="arm.stl" scale="1 1 0.5"/>';
    const robot = ROBOT.replace('<box size="0.3 0.3 0.1"/>', mesh)
        .replace('<cylinder radius="0.04" length="0.5"/>', mesh).replaceAll('name="two"', 'name="meshed"');
    const all = {'meshed.urdf': robot, 'arm.stl': box([0.08, 0.06, 0.9], [0, 0, 0.1]),
        'meshed.yaml': 'poise: 1\nworld: {ground: {height: 0}}\n' +
            'robots: {m: {urdf: meshed.urdf, at: [0, 0, 0.8], base: free, rotation: {axis: [1, 0, 0], angle: 2.8}}}\n'};
    mkdirSync(`${web}/drop`, {recursive: true});
    for (const [name, contents] of Object.entries(all)) {
        writeFileSync(`${web}/drop/${name}`, contents);
    }
    const native = JSON.parse(execFileSync(process.env.POISE,
        ['run', `${web}/drop/meshed.yaml`, '--seconds', '2', '--json', '--quiet'], {stdio: ['ignore', 'pipe', 'ignore']}));
    await page.evaluate(all => drop(Object.entries(all).map(([name, contents]) => new File([contents], name))), all);
    await number(page, 'poise_web_pause', 1);
    await number(page, 'poise_web_go', 0);
    await number(page, 'poise_web_go', 2);
    const hash = await text(page, 'poise_web_hash');
    const said = await page.$eval('#findings', list => list.textContent);
    expect(hash === native.state_hash && !/arm.stl/.test(said), `a dropped robot with an STL has the native bits: ${hash} ${said}`);
    await drawn(page);
    await page.screenshot({path: `${web}/pictures/meshed.png`});
    for (const [name, contents] of Object.entries({huge: [...new Array(80).fill(0), 255, 255, 255, 255, 0], cut: [0x73, 0x6f]})) {
        await page.evaluate((robot, bytes) => drop([new File([robot], 'broken.urdf'),
            new File([new Uint8Array(bytes)], 'arm.stl')]), robot.replace('meshed', 'broken'), contents);
        const findings = await page.$eval('#findings', list => list.textContent);
        expect(/arm\.stl' cannot be read/.test(findings), `a mesh that is ${name} is named: ${findings.slice(0, 100)}`);
    }
    await number(page, 'poise_web_pause', 0);
}

/** Tries the keys of the window, and a picture and a film, which the page gives as downloads. */
async function keysAndFilm(page) {
    await choose(page, '#scene=springhead_5balls');
    await page.focus('#canvas');
    const time = () => number(page, 'poise_web_time');
    await page.keyboard.press('Space');
    await wait(300);
    const stopped = await time();
    await wait(300);
    const still = await time();
    await page.keyboard.press('Space');
    await wait(500);
    const goes = await time();
    await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    await page.keyboard.up('Shift');
    const left = await page.evaluate(() => document.activeElement !== canvas);
    expect(stopped === still && goes > still && left,
        `keys: Space stops at ${stopped.toFixed(2)} s and goes on to ${goes.toFixed(2)} s, Shift+Tab leaves the canvas`);
    await page.evaluate(() => {
        const old = URL.createObjectURL;
        window.given = [];
        URL.createObjectURL = blob => {
            given.push(blob.arrayBuffer().then(bytes => [blob.type, [...new Uint8Array(bytes.slice(0, 4))], blob.size]));
            return old.call(URL, blob);
        };
    });
    await page.click('#picture');
    await page.waitForFunction('given.length === 1', {timeout: 120000});
    await page.click('#film');
    await wait(1500);
    await page.click('#film');
    await page.waitForFunction('given.length === 2', {timeout: 120000});
    const [picture, film] = await page.evaluate(() => Promise.all(given));
    expect(picture[0] === 'image/png' && picture[2] > 10000, `a picture of ${picture[2]} bytes is saved: ${picture[0]}`);
    // the first bytes of a WebM file
    expect(/^video\/webm/.test(film[0]) && film[1].join() === '26,69,223,163' && film[2] > 5000,
        `a film of ${film[2]} bytes is saved: ${film[0]}`);
}

/** Drops the files of tests/hostile, each third of them unless POISE_WHOLE is set. */
async function hostile(page) {
    const folder = `${web}/hostile`;
    rmSync(folder, {recursive: true, force: true});
    execFileSync(`${root}/tests/hostile/run`, ['--make', folder]);
    await choose(page, '#scene=springhead_5balls');
    const own = await text(page, 'poise_web_scene');
    let [count, shown, longest, slow] = [0, 0, 0, ''];
    const wrong = [];
    for (const [i, name] of readdirSync(folder).sort().entries()) {
        // large.urdf is part of others
        if (!process.env.POISE_WHOLE && i % 3 > 0 && name !== 'large.urdf') {
            continue;
        }
        const bytes = readFileSync(`${folder}/${name}`).toString('base64');
        const start = Date.now();
        // no frame of a scene that is shown is drawn: it may have 2,000 bodies
        const [said, now] = await page.evaluate(async (name, bytes) => {
            const data = Uint8Array.from(atob(bytes), letter => letter.charCodeAt(0));
            await drop([new File([data], name)]);
            const end = [by('said').textContent, call('poise_web_scene', 'string')];
            await follow('#scene=springhead_5balls');
            return end;
        }, name, bytes);
        const taken = Date.now() - start;
        [longest, slow] = taken > longest ? [taken, name] : [longest, slow];
        count++;
        if (now.endsWith(`/${name}`)) {
            shown++;
        } else if (now !== own || said === '') {
            wrong.push(`${name}: ${said.slice(0, 60)}`);
        }
    }
    rmSync(folder, {recursive: true, force: true});
    expect(wrong.length === 0, `${count} hostile files are refused with a sentence (${count - shown}) or shown (${shown}), ` +
        `${slow} in ${longest} ms ${wrong.slice(0, 3)}`);
}

/** Cuts and forges a link and a replay. Nothing of them is shown, or what is shown is whole. */
async function forged(page, link) {
    const whole = new URL(link).hash.slice(3);
    const scene = await text(page, 'poise_web_scene');
    const parts = [];
    for (let i = 1; i < 20; i++) {
        parts.push(whole.slice(0, Math.floor(whole.length * i / 20)));
        const at = Math.floor(whole.length * (i - 0.5) / 19);
        parts.push(whole.slice(0, at) + (whole[at] === 'A' ? 'B' : 'A') + whole.slice(at + 1));
    }
    parts.push(await page.evaluate(() => pack({scene: 'x.yaml', text: ' '.repeat(20e6)})),
        await page.evaluate(() => pack({scene: 5, text: []})), await page.evaluate(() => pack([1])),
        await page.evaluate(() => pack({scene: '../../etc/passwd'})));
    const tried = await page.evaluate(async (parts, scene) => {
        const wrong = [];
        for (const part of parts) {
            const good = await follow(`#z=${part}`);
            if (!good && (call('poise_web_scene', 'string') !== scene || by('said').textContent === '')) {
                wrong.push(part.slice(0, 30));
            }
        }
        return wrong;
    }, parts, scene);
    expect(tried.length === 0, `${parts.length} cut and forged links are refused, and the scene stays ${tried.slice(0, 2)}`);
    const replay = await page.evaluate(() => read('/scenes/link.replay'));
    const line = key => new RegExp(`(\\n  ${key}: ).*`);
    const bad = [replay.replace(line('scene'), '$1"../../etc/passwd"'), replay.replace(line('scene_hash'), '$1"0123456789abcdef"'),
        replay.replace(line('changes'), '$1 3600000'), replay.replace(line('steps'), '$1 -1'), replay.replace(line('input'), '$1"AAAAAAAA"'),
        replay.replace(/(input: ".{8})./, '$1!'), replay.replace(line('end'), '$1 7'), replay.replace('poise:', 'noise:')];
    for (let i = 1; i < 12; i++) {
        bad.push(replay.slice(0, Math.floor((replay.length - 2) * i / 12)));
    }
    let refused = 0;
    for (const contents of bad) {
        await drop(page, 'forged.replay', contents);
        refused += await text(page, 'poise_web_scene') === scene && await page.$eval('#said', said => said.textContent !== '');
    }
    expect(refused === bad.length, `${refused} of ${bad.length} cut and forged replays are refused`);
}

/** Ends the program in each of these ways, and starts it again with the texts of the scene, which is too long
 * for a link, and of the editor. */
async function startsAgain(browser, ways) {
    const {page} = await open(browser, small, '#scene=springhead_5balls');
    await page.click('#edit');
    await page.$eval('#text', area => area.value += `# kept text ${Array.from({length: 9000}, (_, i) => Math.sin(i))}\n`);
    await page.click('#apply');
    await page.$eval('#text', area => area.value = 'a draft');
    for (const [what, harm] of Object.entries(ways)) {
        const before = consoleErrors.length;
        await page.evaluate(harm);
        await page.waitForSelector('#said button', {timeout: 30000}).catch(() => null);
        await choose(page, '#scene=walk');
        const said = await page.$eval('#said', span => span.textContent);
        if (/Start again/.test(said)) {
            await page.evaluate(() => delete document.body.dataset.ready);
            await page.click('#said button');
            await page.waitForSelector('body[data-ready]', {timeout: 90000});
        }
        const [kept, draft] = await page.evaluate(() => [read(shown.path), by('editor').hidden ? '' : by('text').value]);
        expect(/Start again/.test(said) && /kept text/.test(kept) && draft === 'a draft', `${what}: ${said.slice(0, 70)}`);
        consoleErrors.length = before; // the trap itself
    }
    await page.close();
}

/** Runs 1,000 s after the first 700, which fill the record of the run, and compares the memory. */
async function stays(page) {
    await choose(page, '#scene=springhead_5balls');
    await number(page, 'poise_web_pause', 1);
    const size = async () => [await page.evaluate(() => Module.HEAP8.length / 1048576), (await page.metrics()).JSHeapUsedSize / 1048576];
    let before = [];
    for (let time = 100; time <= 1700; time += 100) {
        await number(page, 'poise_web_go', time);
        before = time === 700 ? await size() : before;
    }
    const after = await size();
    expect(await number(page, 'poise_web_time') >= 1699 && after[0] === before[0],
        `1,000 s without growth: ${before.map(x => x.toFixed(1))} MB before, ${after.map(x => x.toFixed(1))} after`);
    await number(page, 'poise_web_pause', 0);
}

/** Processor time of the browser and all its processes, ms. */
function cost(browser) {
    const parents = new Map();
    const times = new Map();
    for (const id of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
        try {
            const numbers = readFileSync(`/proc/${id}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
            parents.set(Number(id), Number(numbers[1]));
            times.set(Number(id), 10 * (Number(numbers[11]) + Number(numbers[12])));
        } catch {
            // it ended
        }
    }
    const root = browser.process().pid;
    const isOurs = id => id === root || (parents.has(id) && parents.get(id) !== id && isOurs(parents.get(id)));
    return [...times].reduce((sum, [id, time]) => sum + (isOurs(id) ? time : 0), 0);
}

/** Prints the processor time of a frame, which a busy machine does not change much. */
async function frames(browser, page, scene) {
    await choose(page, `#scene=${scene}`);
    await wait(1000);
    const begin = cost(browser);
    const count = await page.evaluate(() => new Promise(done => {
        const end = performance.now() + 3000;
        let count = 0;
        const frame = () => {
            count++;
            performance.now() < end ? requestAnimationFrame(frame) : done(count);
        };
        requestAnimationFrame(frame);
    }));
    console.log(`${scene}: ${((cost(browser) - begin) / count).toFixed(1)} ms of processor time for each of ${count} frames`);
}

async function files(page) {
    // its name has letters that a path of the page's own has not
    await drop(page, 'zwölf 12.yaml', readFileSync(`${root}/scenes/springhead_5balls.yaml`, 'utf8'));
    const state = await page.evaluate(async () => {
        const fragment = new URL(await share()).hash;
        Module.FS.unlink(shown.path);
        return [await follow(fragment), by('said').textContent];
    });
    expect(state[0], `a link carries a scene of any name ${state[1].slice(0, 60)}`);
    await drop(page, 'two.urdf', ROBOT);
    expect((await text(page, 'poise_web_scene')).endsWith('two.urdf'), 'a dropped URDF is shown');
    const arm = readFileSync(`${root}/scenes/arm6.yaml`, 'utf8');
    await drop(page, 'own.yaml', arm);
    const beside = await text(page, 'poise_web_scene');
    await page.evaluate(all => drop(Object.entries(all).map(([name, contents]) => new File([contents], name))),
        {'a.urdf': readFileSync(`${root}/scenes/robots/arm6.urdf`, 'utf8'), 'with_a.yaml': arm.replace('robots/arm6.urdf', 'a.urdf')});
    await page.click('#edit');
    await page.click('#apply');
    await page.click('#close');
    expect(beside.endsWith('own.yaml') && (await text(page, 'poise_web_scene')).endsWith('with_a.yaml') &&
        await page.$eval('#said', span => span.textContent) === '',
    'a dropped scene finds the robots of the page, and one that is dropped with it, after an edit too');
    const scene = await text(page, 'poise_web_scene');
    const bad = {'broken.yaml': 'poise: 1\nbodies: [', 'cut.replay': 'replay:\n  scene: x\n',
        'bomb.urdf': '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><robot name="&b;"/>', 'empty.yaml': '',
        'binary.yaml': '\u0000\u0001\u0002', 'picture.png': 'x'};
    for (const [name, contents] of Object.entries(bad)) {
        await drop(page, name, contents);
        const said = await page.$eval('#said', span => span.textContent);
        expect(said !== '' && await text(page, 'poise_web_scene') === scene, `${name} is refused: ${said.slice(0, 80)}`);
    }
    await page.evaluate(() => drop([new File([new Uint8Array((16 << 20) + 1)], 'large.yaml')]));
    expect(/larger than 16 MB/.test(await page.$eval('#said', span => span.textContent)), 'a file above 16 MB is refused');
}

/** Drags a target, shares the run, and opens the link in another page of a phone's size. */
async function links(browser, page, phone) {
    await choose(page, '#scene=springhead_5balls');
    await number(page, 'poise_web_go', 1);
    await drawn(page);
    const [x, y] = await see(page, 0);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y - 40, {steps: 8});
    await page.mouse.up();
    await drawn(page);
    await number(page, 'poise_web_pause', 1);
    const link = await page.evaluate(() => share());
    const end = [await number(page, 'poise_web_time'), await text(page, 'poise_web_hash')];
    const other = (await open(browser, phone, new URL(link).hash)).page;
    await number(other, 'poise_web_pause', 1);
    await number(other, 'poise_web_go', end[0]);
    const hash = await text(other, 'poise_web_hash');
    expect(hash === end[1], `a link of ${link.length} bytes gives the same run: ${hash} at ${end[0].toFixed(3)} s`);
    await other.screenshot({path: `${web}/pictures/phone.png`});
    const scene = await text(other, 'poise_web_scene');
    for (const fragment of [`#z=${new URL(link).hash.slice(3, 60)}`, '#z=!!', '#scene=../../x',
        `#z=${new URL(link).hash.slice(3).replace(/.$/, 'AAAA')}`, `#z=${'A'.repeat(40000)}`]) {
        await choose(other, fragment);
        expect(await text(other, 'poise_web_scene') === scene &&
            await other.$eval('#said', span => span.textContent) !== '', `the fragment ${fragment.slice(0, 24)} is refused`);
    }
    await choose(other, new URL(link).hash);
    await forged(other, link);
    await other.close();
}

/** Runs all scenes for 2 s, and compares their states with those of the native program, which run writes. */
async function bits(page) {
    for (let i = 0; i < 600 && !existsSync(`${web}/hashes.txt`); i++) {
        await wait(200);
    }
    const rows = readFileSync(`${web}/hashes.txt`, 'utf8').trim().split('\n').map(row => row.split(' '));
    // no frame is drawn between two scenes
    const differ = await page.evaluate(async rows => {
        const differ = [];
        for (const [name, hash] of rows) {
            await follow(`#scene=${name}`);
            call('poise_web_go', 'number', ['number'], [0]);
            call('poise_web_go', 'number', ['number'], [2]);
            if (call('poise_web_hash', 'string') !== hash) {
                differ.push(name);
            }
        }
        return differ;
    }, rows);
    expect(differ.length === 0,
        `${rows.length - differ.length} of ${rows.length} scenes have the bits of the native program ${differ.join(' ')}`);
}

async function test(browser) {
    const sent = readdirSync(`${web}/page`, {recursive: true}).reduce((sum, name) =>
        sum + (/mesh|pictures/.test(name) || statSync(`${web}/page/${name}`).isDirectory() ? 0 :
            gzipSync(readFileSync(`${web}/page/${name}`), {level: 9}).length), 0);
    expect(sent <= 1.2e6, `${Math.round(sent / 1000)} KB are sent by gzip`);
    const {page, milliseconds} = await open(browser, {width: 1024, height: 680});
    console.log(`first picture after ${milliseconds} ms, ${cost(browser)} ms of processor time with the browser's own start`);
    await wait(500);
    await page.screenshot({path: `${web}/pictures/page.png`});
    await drags(page, 'mouse', async (x, y, to_x, to_y) => {
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(to_x, to_y, {steps: 10});
        await page.mouse.up();
    });
    await page.screenshot({path: `${web}/pictures/dragged.png`});
    await page.setViewport({width: 1024, height: 640});
    for (const scene of ['panda_square', 'full_body']) {
        await frames(browser, page, scene);
    }
    await page.setViewport({width: 1024, height: 680});
    expect(![...fetched].some(path => /pictures/.test(path)), 'small pictures are not fetched before they are shown');
    await page.click('#gallery');
    await page.waitForFunction("[...document.querySelectorAll('#pictures img')].every(image => image.complete)");
    await page.screenshot({path: `${web}/pictures/gallery.png`});
    const pictures = await page.$$eval('#pictures img', images => images.filter(image => image.naturalWidth > 0).length);
    await page.click('#pictures button:nth-child(6)');
    await page.waitForFunction("call('poise_web_scene', 'string').endsWith('walk.yaml')", {timeout: 5000}).catch(() => null);
    expect(pictures === 16 && (await text(page, 'poise_web_scene')).endsWith('walk.yaml'), `${pictures} scenes are chosen by pictures`);
    // a processor draws: what follows needs no large picture
    await page.setViewport(small);
    await edits(page);
    await meshes(page);
    await files(page);
    await startsAgain(browser, {
        'a trap in a frame': () => setTimeout(() => Module._poise_web_open(0x7ffffff0)),
        'a trap in a promise': () => {
            Promise.resolve().then(() => Module._poise_web_open(0x7ffffff0));
        },
        'no memory left': () => setTimeout(() => {
            for (let size = 1 << 26; size >= 16; size >>= 1) {
                while (Module._malloc(size)) {
                    // as much as the browser gives
                }
            }
            Module._poise_web_open(0);
        }),
    });
    await keysAndFilm(page);
    await hostile(page);
    await stays(page);
    await page.setViewport({width: 1024, height: 680});
    const phone = {width: 390, height: 780, deviceScaleFactor: 2, isMobile: true, hasTouch: true};
    await links(browser, page, phone);
    const touched = (await open(browser, {...phone, deviceScaleFactor: 1}, '#scene=springhead_5balls')).page;
    const [seen] = await see(touched, 0);
    expect(seen > 0 && seen < phone.width, `a phone shows the whole scene: the goal is at ${seen.toFixed(0)} of ${phone.width} pixels`);
    await drags(touched, 'touch', async (x, y, to_x, to_y) => {
        await touched.touchscreen.touchStart(x, y);
        for (let i = 1; i <= 10; i++) {
            await touched.touchscreen.touchMove(x + (to_x - x) * i / 10, y + (to_y - y) * i / 10);
            await wait(30);
        }
        await touched.touchscreen.touchEnd();
    });
    await touched.close();
    await page.setViewport(small);
    await bits(page);
    expect(consoleErrors.length === 0, `no errors on the console ${consoleErrors.slice(0, 3)}`);
    const foreign = [...requests].filter(origin => origin !== new URL(address).origin && origin !== 'null');
    expect(foreign.length === 0, `no request to another host ${foreign}`);
}

rmSync(`${web}/no-start`, {force: true});
const browser = await puppeteer.launch({executablePath: existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : 'chromium',
    headless: 'shell', args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']});
try {
    await test(browser);
} finally {
    await browser.close();
}
process.exit(failures.length > 0 ? 1 : 0);
