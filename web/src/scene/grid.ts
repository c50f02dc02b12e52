// An infinite ground grid: lines every metre and every ten metres (scaled to the scene), fading with distance.

import { Color, DoubleSide, Mesh, PlaneGeometry, ShaderMaterial } from "three";

const VERTEX = `
varying vec2 at;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  at = world.xy;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const FRAGMENT = `
uniform vec3 color;
uniform vec2 center;
uniform float cell;
uniform float reach;
varying vec2 at;
float line(float spacing) {
  vec2 cells = at / spacing;
  vec2 width = fwidth(cells);
  vec2 away = abs(fract(cells - 0.5) - 0.5) / max(width, vec2(1e-6));
  float nearest = 1.0 - min(min(away.x, away.y), 1.0);
  return nearest * (1.0 - smoothstep(0.25, 0.6, max(width.x, width.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.1 * reach, reach, distance(at, center));
  float strength = max(0.4 * line(cell), 0.75 * line(10.0 * cell)) * fade;
  if (strength < 0.01) discard;
  gl_FragColor = vec4(color, strength);
  #include <colorspace_fragment>
}`;

export class Grid {
  readonly mesh: Mesh<PlaneGeometry, ShaderMaterial>;

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        color: { value: new Color() },
        center: { value: { x: 0, y: 0 } },
        cell: { value: 1 },
        reach: { value: 50 },
      },
      transparent: true,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -1,
      side: DoubleSide,
    });
    this.mesh = new Mesh(new PlaneGeometry(1, 1), material);
    this.mesh.frustumCulled = false;
  }

  setColor(color: Color): void {
    (this.mesh.material.uniforms.color!.value as Color).copy(color);
  }

  /// `size` is the radius of the scene in metres; the cell size is a matching power of ten.
  setGround(size: number, height: number): void {
    this.mesh.position.z = height;
    const reach = 25 * size;
    this.mesh.material.uniforms.cell!.value = 10 ** Math.round(Math.log10(size / 4));
    this.mesh.material.uniforms.reach!.value = reach;
    this.mesh.scale.set(2 * reach, 2 * reach, 1);
  }

  /// Distance between two lines, m.
  get cell(): number {
    return this.mesh.material.uniforms.cell!.value as number;
  }

  moveTo(x: number, y: number): void {
    this.mesh.position.set(x, y, this.mesh.position.z);
    const center = this.mesh.material.uniforms.center!.value as { x: number; y: number };
    center.x = x;
    center.y = y;
  }
}
